/// What the style sheet of a site has in addition to that of a page.
enum SiteStyle {
  static let sheet: StaticString = """
    html{scroll-padding-top:4.25rem}
    header{position:sticky;top:0;z-index:1;display:flex;gap:1rem;align-items:center;justify-content:space-between;\
    padding:.55rem max(1rem,50vw - 20rem);border-bottom:1px solid var(--line);background:var(--page)}
    header>a{font-weight:650;color:inherit;text-decoration:none;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    header form{flex:0 1 17rem;min-width:8rem;position:relative}
    header input{width:100%;padding:.4rem .75rem;border:1px solid var(--dim);border-radius:1.2rem;background:var(--soft);\
    color:inherit;font:inherit;font-size:.95rem}
    header input::placeholder{color:var(--dim);opacity:1}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    .results{position:absolute;inset-inline-end:0;width:min(36rem,100vw - 2rem);max-height:calc(100vh - 5rem);overflow:auto;\
    margin-top:.5rem;padding:.5rem;border:1px solid var(--line);border-radius:.7rem;background:var(--page);\
    box-shadow:0 .5rem 2rem #0003}
    .results p{margin:.1rem .6rem .3rem;color:var(--dim);font-size:.9em}
    .results ol{list-style:none;margin:0;padding:0}
    .results a{display:flex;flex-wrap:wrap;gap:0 .6rem;align-items:baseline;padding:.45rem .6rem;border-radius:.5rem;\
    color:inherit;text-decoration:none;overflow-wrap:anywhere}
    .results a:hover,.results a:focus{background:var(--soft)}
    .results bdi{font-weight:650}
    .results time{color:var(--dim)}
    .results span{flex-basis:100%}
    .day{display:block;margin:1.6rem 0 .5rem;color:var(--dim);font-size:.9em;font-weight:650}
    .day+article{border-top-color:transparent;padding-top:.4rem}
    .day+.joined::before{display:none}
    .h-entry{position:relative}
    .h-entry>div>h2{padding-inline-end:1.6rem}
    .places{margin:0;font-size:.9em}
    .places a{display:inline-block;margin-top:.35rem;text-decoration:none}
    .places a:hover{text-decoration:underline}
    .places .permalink{position:absolute;inset-inline-end:0;top:1.1rem;margin:0;padding:0 .4rem;color:var(--dim)}
    .day+.h-entry .permalink{top:.4rem}
    .d1{margin-inline-start:1.5rem}
    .d2{margin-inline-start:3rem}
    .d3{margin-inline-start:4.5rem}
    .d4{margin-inline-start:6rem}
    .ways{display:flex;flex-wrap:wrap;gap:.75rem;max-width:42rem;margin:0 auto;padding:1.25rem 1rem;\
    border-top:1px solid var(--line)}
    .ways a,.months li{border:1px solid var(--line);border-radius:.6rem}
    .ways a{padding:.5rem .9rem;text-decoration:none}
    .ways a:hover,.months a:hover{background:var(--soft)}
    .ways .prev::before{content:"← "}
    .ways .next::after{content:" →"}
    [dir=rtl] .ways .prev::before{content:"→ "}
    [dir=rtl] .ways .next::after{content:" ←"}
    .ways .next{margin-inline-start:auto}
    main .ways{padding:.25rem 0 .75rem;border-top:0}
    .profile{border-top:0;padding-top:0}
    .views,.views div{display:flex;flex-wrap:wrap;gap:.4rem;margin:.75rem 0 0}
    details.views{display:block}
    .views a{padding:.3rem .7rem;border:1px solid var(--line);border-radius:1rem;text-decoration:none;overflow-wrap:anywhere}
    .views a:hover{background:var(--soft)}
    .months{margin:1.25rem 0 2rem}
    .months summary{padding:.5rem 0}
    .months h2{font-weight:650;margin:1.1rem 0 .4rem}
    .months ol{display:grid;grid-template-columns:repeat(6,minmax(0,1fr));gap:.4rem;list-style:none;margin:0;padding:0}
    .months li{min-height:3.1rem;font-size:.9em;overflow:hidden}
    .months li>*{display:flex;flex-direction:column;height:100%;padding:.3rem .5rem .35rem;text-decoration:none}
    .months li>span{color:var(--dim)}
    .months .none{border-color:transparent}
    .months i{height:3px;margin-top:auto;border-radius:2px;background:var(--link)}
    .w1{width:8%}.w2{width:17%}.w3{width:25%}.w4{width:33%}.w5{width:42%}.w6{width:50%}
    .w7{width:58%}.w8{width:67%}.w9{width:75%}.w10{width:83%}.w11{width:92%}.w12{width:100%}
    footer{max-width:42rem;margin:0 auto;padding:0 1rem 3rem;font-size:.9em}
    main{padding-bottom:1.5rem}
    main>.note{margin-bottom:.75rem}
    @media (max-width:30rem){header{padding:.5rem .8rem}.months ol{gap:.3rem}.months li>*{padding:.25rem .35rem}\
    .d1{margin-inline-start:.75rem}.d2{margin-inline-start:1.5rem}.d3{margin-inline-start:2.25rem}\
    .d4{margin-inline-start:3rem}.ways,footer{padding-inline:.8rem}}
    @media print{header,.ways,.places,footer{display:none}}

    """
}

# demo · build · test · docs · completions · soak · soak-local · crash · damage · year · mutants · sanitize · check ·
# fuzz · fuzz-render · bench · bench-peers · link-verdicts · extension · install · uninstall · dist · deb · test-deb ·
# test-same · test-spark · release · deps · clean
#
# A machine with the Swift toolchain, git and make is enough: the rest is installed by deps, which says what it does.

PREFIX = /usr/local
DESTDIR =

SWIFT = swift
# The Swift runtime goes into the binaries; what no code reaches and the symbols stay out of them. lld comes with Swift;
# the system's linker would warn of a function in the runtime that nothing here calls. Packed relocations take a
# megabyte less of each file, and 0.2 ms less of a start.
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --gc-sections -Xlinker -s \
  -Xlinker -z -Xlinker pack-relative-relocs $(SAME)
# No path of this machine comes into the binaries: no folder to look for libraries in, and no hash of each module's
# debugging information.
SAME = --disable-local-rpath -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
# More of them, such as --disable-sandbox.
FLAGS =
# The tests, and the tools that "swift test" runs, without debugging information: a fifth of the time to compile them.
# For a debugger: swift build --build-tests.
TESTS = $(SWIFT) build --build-tests -debug-info-format none
TOOLS = $(shell sed -n 's/^tools *//p' packaging/description)

# record() for other programs that use SQLite (tw-db(5)): C alone, whose SQLite is that of the program that loads it.
EXTENSION = .build/tw_record.so
# Without symbols, as the tools.
EXTENSION_FLAGS = -s

ifeq ($(shell uname -s),Darwin)
EXTENSION = .build/tw_record.dylib
EXTENSION_FLAGS = -Wl,-x
# Apple's systems have the Swift runtime, and a linker with other options.
RELEASE = -c release -Xlinker -dead_strip
endif

.PHONY: all demo build test docs completions soak soak-local crash damage year mutants sanitize check fuzz fuzz-render bench bench-peers link-verdicts extension install uninstall dist deb test-deb test-same test-spark release deps \
  clean

all: build

# The whole pipeline, against a service on this machine: no account is needed.
demo: build
	@docs/demo.sh .build/release

build: deps
	$(SWIFT) build $(RELEASE) $(FLAGS)
	@packaging/links .build/release
	@$(MAKE) --no-print-directory extension

extension: $(EXTENSION)

$(EXTENSION): Sources/SQLiteExtension/tw_record.c Sources/CRecords/record.c Sources/CRecords/records-1.zdict
	@mkdir -p .build
	od -An -v -tu1 Sources/CRecords/records-1.zdict | sed 's/[0-9][0-9]*/&,/g' > .build/records-1.inc
	$(CC) $(EXTENSION_FLAGS) -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden '-DTW_DICTIONARY="$(CURDIR)/.build/records-1.inc"' \
	  -ISources/CRecords/include $(shell pkg-config --cflags sqlite3 libzstd) Sources/SQLiteExtension/tw_record.c \
	  $(shell pkg-config --libs libzstd) -o $@

# The tests run the tools that are installed. `swift test` runs those that it builds, which are slower and sooner there.
test: build
	$(TESTS)
	@TW_TEST_TOOLS='$(CURDIR)/.build/release' .ci/test --skip-build

# All pages as HTML, with a search that needs no server.
docs:
	@.ci/deps docs
	@docs/site/make

# An hour's worth of lost connections in a minute, and a hundred thousand keys for tw-browse in the best part of an
# hour. What it prints as TW_TEST_SEED brings the same losses again.
soak: export SOAK_POSTS = 100000
soak: export SOAK_CUTS = 200
soak: export TW_BROWSE_KEYS = 100000
soak: deps
	$(TESTS)
	@.ci/test --skip-build --filter StreamSoakTests --filter NetworkFaultTests --filter BrowseModelTests

# 1000 streams of tw-local at 20 posts a second, and 10 at 2000; no post may be lost. It needs a machine that does
# nothing else.
soak-local: build
	STREAMS=1000 RATE=20 bench/local-streams .build/release
	STREAMS=10 RATE=2000 bench/local-streams .build/release

# Writers killed at any moment, two hundred times, crossposts three hundred times; everything they have printed must be
# there, and everything posted once.
crash: export TW_CRASH_ROUNDS = 200
crash: export TW_CROSSPOST_ROUNDS = 300
crash: deps
	$(TESTS)
	@.ci/test --skip-build --filter CacheCrowdTests --filter PostOnceTests --filter CrosspostKillTests

# A store with five hundred damages of each kind: flipped bits, lost pages, cuts, a wrong head.
damage: export TW_DAMAGE_ROUNDS = 500
damage: deps
	$(TESTS)
	@.ci/test --skip-build --filter DamageTests

# A year of cron with a clock of its own, in ten minutes: DAYS (365) of it, and SEED (1) for what happens when.
year: build
	Tests/Year/run .build/release

# Breaks the code in one place at a time (Tests/Mutants) and says which faults no test notices: about a minute each.
# NAMES picks some, TURN=10 takes ten, others for each commit.
mutants: deps
	Tests/Mutants/run $(if $(TURN),--turn $(TURN)) $(NAMES)

# The tests under AddressSanitizer and then under ThreadSanitizer: long builds in .build-asan and .build-tsan, slow
# tests. FILTER picks some.
sanitize: deps
	.ci/sanitize $(FILTER)

# The completions of all tools but tw's, which is written by hand.
completions:
	$(SWIFT) build
	packaging/links .build/debug
	.build/debug/CompletionWriter completions $(filter-out tw,$(TOOLS))

check:
	@.ci/deps check
	.ci/check

deps:
	@.ci/deps

# Each parser of bytes from outside for so many SECONDS; TARGETS picks some. What fails is kept in .build-fuzz/found.
SECONDS = 60
fuzz: deps
	Tests/Fuzz/run $(SECONDS) $(TARGETS)

# RECORDS mutated ones in every format of tw-render, or in FORMATS; what cannot be read is kept in .build/fuzz-render.
# The SEED that it prints brings the same ones again.
RECORDS = 20000
SEED = $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
fuzz-render: build
	@.ci/deps check
	.build/venv/bin/python3 Tests/Fuzz/render .build/release $(RECORDS) $(SEED) $(FORMATS)

# SIZE (500M), MESSAGES and EVENTS (200000) and RUNS (5) say how much is parsed and streamed, and how often, and SECONDS
# (60) how long three networks are read together; a machine that does nothing else gives steady figures.
bench: build
	bench/startup .build/release
	bench/parse .build/release
	bench/stream .build/release
	bench/cache .build/release
	bench/render .build/release
	bench/browse .build/release
	bench/site .build/release
	bench/net .build/release
	bench/networks .build/release

# What bench/parse, bench/cache, bench/net and bench/networks compare with; without them they say which are left out.
bench-peers:
	bench/parse-peers

# What tw-linkcheck and lychee say of the same bad servers (docs/decisions/link-verdicts.md).
link-verdicts: build
	bench/link-verdicts .build/release

# Under sudo what is built already is installed as it is: root must not own files in .build. ZSH_FUNCTIONS and
# SYSTEMD_UNITS name folders that packages have elsewhere (packaging/install).
install: $(if $(SUDO_USER),,build)
	@packaging/install install '$(PREFIX)' '$(DESTDIR)'

uninstall:
	@packaging/install uninstall '$(PREFIX)' '$(DESTDIR)'

# A tarball of the last commit that builds without git and without a network.
dist:
	@packaging/dist

# A Debian package for the release of Debian or Ubuntu that this machine has.
deb: build
	@packaging/deb

# Installs that package in a new system in a folder, runs the demo, upgrades and removes it: some minutes, and root.
test-deb: deb
	@packaging/test-deb

# Builds the tarball in two folders, and compares the tools.
test-same: deps
	@packaging/test-same

# The example for Apache Spark on two worker processes, killed and restarted: some minutes, 500 MB of PySpark once, and
# Java 17. After that `make test` runs it too.
test-spark: build
	[ -x .build/spark/bin/python3 ] || python3 -m venv .build/spark
	.build/spark/bin/python3 -m pip install -q pyspark==4.3.0 pyarrow==26.0.1 pandas==2.3.3
	$(TESTS)
	@TW_TEST_TOOLS='$(CURDIR)/.build/release' .ci/test --skip-build --filter SparkTests

# Tarball, packages and descriptions of the version in Sources/TweetCore/Version.swift, and what is left to do.
release: build
	@packaging/release

clean:
	rm -rf .build .build-*

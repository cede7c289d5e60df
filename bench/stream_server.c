// The two ends of bench/stream.
//
//   stream_server serve FILE COUNT RATE   a plain service on a loopback port, which it prints: it takes any rule, and
//                                         streams the messages of FILE (one a line) over and over until COUNT were
//                                         sent,
//                                         RATE a second, 0: as fast as they are taken. COUNT 0: only keep-alives.
//   stream_server read COUNT              reads COUNT messages and prints how old they were, in ms: median, 99 %, most.
//
// Each message begins with {"data":{"id":"…19 digits…": the digits are made new each time it is sent, a number that
// counts up, or with a RATE the moment of sending. Nothing is copied or looked for while sending, so that the server is
// no brake.
#define _GNU_SOURCE  // strcasestr
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ID_PLACE = 15, ID_DIGITS = 19 };
static const long long FIRST_ID = 1000000000000000000;

static char *round_bytes;  // one round of the messages, each a chunk of HTTP/1.1
static size_t *starts;     // where the chunks begin; one more for the end
static size_t messages;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(71);
}

static int send_all(int client, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    bytes += sent;
    length -= (size_t)sent;
  }
  return 1;
}

static void load(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path);
  char *line = NULL;
  size_t room = 0, size = 0, held = 0;
  ssize_t length;
  while ((length = getline(&line, &room, file)) > 0) {
    length -= line[length - 1] == '\n';
    starts = realloc(starts, (messages + 2) * sizeof *starts);
    while (size + (size_t)length + 32 > held) round_bytes = realloc(round_bytes, held = held * 2 + 65536);
    starts[messages++] = size;
    size += (size_t)sprintf(round_bytes + size, "%zx\r\n", (size_t)length + 2);
    memcpy(round_bytes + size, line, (size_t)length);
    size += (size_t)length;
    memcpy(round_bytes + size, "\r\n\r\n", 4);
    size += 4;
    starts[messages] = size;
  }
  if (messages == 0) fail("no messages");
  fclose(file);
  free(line);
}

static void number(size_t message, long long id) {
  char *chunk = round_bytes + starts[message];
  char digits[ID_DIGITS + 1];
  snprintf(digits, sizeof digits, "%lld", FIRST_ID + id);
  memcpy(strchr(chunk, '\n') + 1 + ID_PLACE, digits, ID_DIGITS);
}

static void stream(int client, long long count, long long rate) {
  const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  if (!send_all(client, head, sizeof head - 1)) return;
  while (count == 0) {
    if (!send_all(client, "2\r\n\r\n\r\n", 7)) return;
    sleep(1);
  }
  const long long begin = now();
  for (long long sent = 0; sent < count;) {
    size_t first = (size_t)(sent % (long long)messages), last = messages;
    if (rate > 0) {
      const long long due = begin + sent * 1000000000 / rate;
      const struct timespec time = {due / 1000000000, due % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
      last = first + 1;
      number(first, now());
    } else {
      if (count - sent < (long long)(last - first)) last = first + (size_t)(count - sent);
      for (size_t message = first; message < last; message++) number(message, sent + (long long)(message - first));
    }
    if (!send_all(client, round_bytes + starts[first], starts[last] - starts[first])) return;
    sent += (long long)(last - first);
  }
  send_all(client, "0\r\n\r\n", 5);
}

static void answer(int client, const char *status, const char *body) {
  char text[512];
  const int length = snprintf(
      text, sizeof text, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nContent-Type: application/json\r\n\r\n%s", status,
      strlen(body), body);
  send_all(client, text, (size_t)length);
}

static void talk(int client, long long count, long long rate) {
  char request[65536];
  size_t held = 0;
  while (1) {
    const ssize_t got = recv(client, request + held, sizeof request - 1 - held, 0);
    if (got <= 0) return;
    held += (size_t)got;
    request[held] = 0;
    const char *end = strstr(request, "\r\n\r\n");
    if (!end) continue;
    const char *field = strcasestr(request, "\r\nContent-Length:");
    const size_t body = field ? (size_t)atol(field + 17) : 0;
    if (held < (size_t)(end + 4 - request) + body) continue;
    held = 0;
    if (strncmp(request, "GET /2/tweets/search/stream/rules", 33) == 0) {
      answer(client, "200 OK", "{\"meta\":{\"result_count\":0}}");
    } else if (strncmp(request, "GET /2/tweets/search/stream", 27) == 0) {
      stream(client, count, rate);
      return;
    } else if (strstr(end, "\"add\"")) {
      answer(client, "201 Created", "{\"data\":[{\"id\":\"11\",\"value\":\"#bench\"}],\"meta\":{\"summary\":{\"created\":1}}}");
    } else {
      answer(client, "200 OK", "{\"meta\":{\"summary\":{\"deleted\":1,\"not_deleted\":0}}}");
    }
  }
}

static int serve(const char *path, long long count, long long rate) {
  load(path);
  signal(SIGCHLD, SIG_IGN);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 16) ||
      getsockname(listener, (struct sockaddr *)&address, &length))
    fail("listen");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (1) {
    const int client = accept(listener, NULL, NULL);
    if (client < 0) continue;
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fork() == 0) {
      close(listener);
      talk(client, count, rate);
      exit(0);
    }
    close(client);
  }
}

static int by_size(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static int read_ages(size_t count) {
  static char bytes[1 << 20];
  const char mark[] = "{\"data\":{\"id\":\"";
  double *ages = calloc(count, sizeof *ages);
  size_t held = 0, seen = 0;
  while (seen < count) {
    const ssize_t got = read(0, bytes + held, sizeof bytes - held);
    if (got <= 0) return 65;
    const long long time = now();
    held += (size_t)got;
    char *line = bytes, *end;
    while (seen < count && (end = memchr(line, '\n', (size_t)(bytes + held - line)))) {
      if (strncmp(line, mark, sizeof mark - 1) == 0)
        ages[seen++] = (double)(time - (strtoll(line + ID_PLACE, NULL, 10) - FIRST_ID)) / 1e6;
      line = end + 1;
    }
    held = (size_t)(bytes + held - line);
    memmove(bytes, line, held);
  }
  qsort(ages, count, sizeof *ages, by_size);
  printf("%.3f %.3f %.3f\n", ages[count / 2], ages[count * 99 / 100], ages[count - 1]);
  return 0;
}

int main(int count, char **words) {
  if (count == 5 && strcmp(words[1], "serve") == 0) return serve(words[2], atoll(words[3]), atoll(words[4]));
  if (count == 3 && strcmp(words[1], "read") == 0) return read_ages((size_t)atoll(words[2]));
  fprintf(stderr, "usage: stream_server serve FILE COUNT RATE | read COUNT\n");
  return 64;
}

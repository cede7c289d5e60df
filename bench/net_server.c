// The site of bench/net: net_server PORT HOSTS DELAY [PICTURE]
//
// Answers GET and HEAD of every path on 127.0.0.1 to 127.0.0.HOSTS, DELAY ms after the request: a small page, or for a
// path that ends with .png the bytes of the file PICTURE with the path after them, so that each picture is another one.
// It keeps connections open, as sites do. It prints the port, and runs until it is killed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_HOSTS = 250, LONGEST_HEAD = 16384, LARGEST_PICTURE = 1 << 20 };

static useconds_t delay;
static char picture[LARGEST_PICTURE];
static size_t picture_size;

static void fail(const char *what) {
  perror(what);
  exit(71);
}

static int send_all(int client, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    bytes += sent;
    length -= (size_t)sent;
  }
  return 1;
}

/// Answers one request; its head ends with a zero byte.
static int answer(int client, const char *head) {
  static const char page[] = "<!doctype html><title>A page</title><p>Words.\n";
  char path[1024] = "", answer[LONGEST_HEAD];
  if (sscanf(head, "%*s %1023s", path) != 1) return 0;
  const size_t length = strlen(path);
  const int is_picture = picture_size && length > 4 && !strcmp(path + length - 4, ".png");
  const size_t size = is_picture ? picture_size + length : sizeof page - 1;
  if (delay) usleep(delay);
  const int count = snprintf(
      answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
      is_picture ? "image/png" : "text/html; charset=utf-8", size);
  if (!strncmp(head, "HEAD ", 5)) return send_all(client, answer, (size_t)count);
  if (!is_picture) {
    memcpy(answer + count, page, size);
    return send_all(client, answer, (size_t)count + size);
  }
  return send_all(client, answer, (size_t)count) && send_all(client, picture, picture_size) &&
         send_all(client, path, length);
}

static void *serve(void *argument) {
  const int client = (int)(long)argument;
  char head[LONGEST_HEAD + 1];
  size_t held = 0;
  for (;;) {
    head[held] = 0;
    char *end = strstr(head, "\r\n\r\n");
    if (end) {
      end[2] = 0;
      if (!answer(client, head)) break;
      end += 4;
      held -= (size_t)(end - head);
      memmove(head, end, held);
      continue;
    }
    const ssize_t got = held < LONGEST_HEAD ? recv(client, head + held, LONGEST_HEAD - held, 0) : 0;
    if (got <= 0) break;
    held += (size_t)got;
  }
  close(client);
  return NULL;
}

static int listen_on(int host, in_port_t port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK + (in_addr_t)host)}};
  const int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
      bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024))
    fail("listen");
  return listener;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  in_port_t port = (in_port_t)atoi(arguments[1]);
  const int hosts = atoi(arguments[2]);
  if (hosts < 1 || hosts > MOST_HOSTS) return 64;
  delay = (useconds_t)atoi(arguments[3]) * 1000;
  if (count > 4) {
    FILE *file = fopen(arguments[4], "r");
    if (!file) fail(arguments[4]);
    picture_size = fread(picture, 1, sizeof picture, file);
    fclose(file);
  }
  signal(SIGPIPE, SIG_IGN);
  struct pollfd listeners[MOST_HOSTS];
  for (int host = 0; host < hosts; host++) {
    listeners[host] = (struct pollfd){.fd = listen_on(host, port), .events = POLLIN};
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    getsockname(listeners[host].fd, (struct sockaddr *)&address, &size);
    port = ntohs(address.sin_port);
  }
  printf("%d\n", port);
  fflush(stdout);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  while (poll(listeners, (nfds_t)hosts, -1) >= 0) {
    for (int host = 0; host < hosts; host++) {
      if (!(listeners[host].revents & POLLIN)) continue;
      const int on = 1, client = accept(listeners[host].fd, NULL, NULL);
      if (client < 0) continue;
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      pthread_t thread;
      if (pthread_create(&thread, &attributes, serve, (void *)(long)client)) close(client);
    }
  }
  fail("poll");
}

#pragma once
// Kernel interfaces of Linux that the Glibc module of Swift leaves out.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <pthread.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// Declared by glibc under _GNU_SOURCE only, which a module cannot set for headers it shares with others.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int ends[2], int flags);
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
int ptsname_r(int fd, char *buffer, size_t length);
int pthread_setname_np(pthread_t thread, const char *name);
int renameat2(int olddir, const char *oldpath, int newdir, const char *newpath, unsigned int flags);
int sync_file_range(int fd, off_t offset, off_t count, unsigned int flags);
int syncfs(int fd);
int setns(int fd, int kind);
int unshare(int flags);

// Macros with casts and sizes in them, which Swift does not import.
static const unsigned long CLinux_TUNSETIFF = TUNSETIFF;
static const int CLinux_CLONE_NEWNET = 0x40000000;

/* What a child process cost, and the processor that it runs on. Linux only. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Restricts this process, and all that it starts, to the last processor that it may use. Returns 0, or -1 on an error. */
int rival_pin(void) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
    int last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) last = cpu;
    }
    if (last < 0) return -1;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

/* Waits for a child. Adds its processor time (user and system, microseconds) to `cpu`, and raises `peak` to its largest resident set
 * (KiB). Returns its exit code, 128 and the signal if a signal ended it, or -1 on an error. */
int rival_wait(int child, uint64_t *cpu, uint64_t *peak) {
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return -1;
    }
    *cpu += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u;
    *cpu += (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if ((uint64_t)usage.ru_maxrss > *peak) *peak = (uint64_t)usage.ru_maxrss;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Shifts the clock of a program by CLOCK_SHIFT seconds: loaded before the C library, by
 * tools/on_day.py. Waits and deadlines use another clock, which stays as it is. */

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift;

__attribute__((constructor)) static void read_shift(void) {
    const char *seconds = getenv("CLOCK_SHIFT");
    shift = seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *to) {
    int failed = (int)syscall(SYS_clock_gettime, clock, to);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        to->tv_sec += shift;
    return failed;
}

int gettimeofday(struct timeval *to, void *zone) {
    struct timespec moment;
    int failed = clock_gettime(CLOCK_REALTIME, &moment);
    to->tv_sec = moment.tv_sec;
    to->tv_usec = moment.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *to) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (to)
        *to = moment.tv_sec;
    return moment.tv_sec;
}

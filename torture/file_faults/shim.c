/* Interposes the C library's file operations below one folder: counts, logs, fails or kills at the n-th.
 *
 * Loaded by LD_PRELOAD; it does nothing until faults_arm is called. Python, tantivy (Rust's std::fs) and SQLite
 * reach the kernel through these functions; NumPy's stdio and a crate below tantivy make system calls of their
 * own, which a seccomp filter turns into signals and so into calls of the same functions. The log is replayed by
 * disk.py.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { OPEN, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, RMDIR, MKDIR, LINK, SYMLINK, CLOSE };
enum { NOTHING, ERROR_ONCE, ERROR_FROM_THEN_ON, KILL };
enum { MAX_FD = 1 << 16, MAX_MAPS = 1 << 12 };

struct record { /* as struct.Struct("<BxxxiQqII") */
    uint8_t operation;
    uint8_t padding[3];
    int32_t flags;
    uint64_t handle;
    int64_t offset;
    uint32_t path_length, data_length;
};
struct map { char *address; size_t length; off_t offset; uint64_t handle; dev_t device; ino_t inode; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int armed, log_fd, action, error_number;
static unsigned kinds; /* bits of the operations that are counted */
static long counted, target;
static int short_write_done;
static char prefix[PATH_MAX];
static size_t prefix_length;
static uint64_t next_handle, handles[MAX_FD]; /* of descriptors below the folder; 0: elsewhere */
static char written[MAX_FD];
static struct map maps[MAX_MAPS];
static int map_count;

static void trap_other_system_calls(void);

void faults_arm(const char *folder, int log, int what, unsigned which, long n, int error) {
    prefix_length = strlen(strcpy(prefix, folder));
    memset(handles, 0, sizeof handles);
    memset(written, 0, sizeof written);
    log_fd = log, action = what, kinds = which, target = n, error_number = error;
    counted = map_count = short_write_done = 0, next_handle = 1;
    trap_other_system_calls();
    armed = 1;
}

long faults_disarm(void) {
    armed = 0;
    return counted;
}

/* Whether a path is below the folder; `inside` is the rest of it, without . and .. */
static int below(int folder, const char *path, char *inside) {
    char result[2 * PATH_MAX];
    char joined[2 * PATH_MAX], link[64];
    if (!armed || !path) return 0;
    if (*path == '/') {
        snprintf(joined, sizeof joined, "%s", path);
    } else {
        char base[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        long length = syscall(SYS_readlinkat, AT_FDCWD, folder == AT_FDCWD ? "/proc/self/cwd" : link, base, PATH_MAX - 1);
        if (length < 0) return 0;
        base[length] = 0;
        snprintf(joined, sizeof joined, "%s/%s", base, path);
    }
    char *end = result, *rest = joined, *name;
    while ((name = strsep(&rest, "/"))) {
        if (!*name || !strcmp(name, ".")) continue;
        if (!strcmp(name, "..")) {
            while (end > result && *--end != '/') {}
            continue;
        }
        *end++ = '/';
        end = stpcpy(end, name);
    }
    *end = 0;
    if (strncmp(result, prefix, prefix_length) || (result[prefix_length] && result[prefix_length] != '/')) return 0;
    strcpy(inside, result + prefix_length);
    return 1;
}

static uint64_t handle_of(int fd) { return armed && fd >= 0 && fd < MAX_FD ? handles[fd] : 0; }

static void record(int operation, int flags, uint64_t handle, off_t offset, const char *path, const void *data, size_t length) {
    if (log_fd < 0) return;
    int saved = errno;
    struct record head = {operation, {0}, flags, handle, offset, path ? strlen(path) : 0, length};
    struct iovec pieces[] = {{&head, sizeof head}, {(void *)path, head.path_length}, {(void *)data, length}};
    size_t total = sizeof head + head.path_length + length, done = 0;
    for (int i = 0; done < total && i < 3;) {
        long n = syscall(SYS_writev, log_fd, pieces + i, 3 - i);
        if (n < 0) abort(); /* a log with holes would be believed */
        done += n;
        while (i < 3 && (size_t)n >= pieces[i].iov_len) n -= pieces[i++].iov_len;
        if (i < 3) pieces[i].iov_base = (char *)pieces[i].iov_base + n, pieces[i].iov_len -= n;
    }
    errno = saved;
}

/* Count an operation; nonzero if it is to fail with errno. Called with the mutex held. */
static int fails(int operation) {
    if (!(kinds >> operation & 1)) return 0;
    long n = ++counted;
    if (action == KILL && n == target) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    if ((action == ERROR_ONCE && n == target) || (action == ERROR_FROM_THEN_ON && n >= target)) {
        errno = error_number;
        return 1;
    }
    return 0;
}

static long locked(long result) {
    int saved = errno;
    pthread_mutex_unlock(&mutex);
    errno = saved;
    return result;
}

static int open_below(int folder, const char *path, int flags, mode_t mode) {
    char name[2 * PATH_MAX];
    if (!below(folder, path, name)) return syscall(SYS_openat, folder, path, flags, mode);
    pthread_mutex_lock(&mutex);
    struct stat found;
    int existed = !fstatat(folder, path, &found, 0);
    int changes = (flags & O_CREAT && !existed) || (flags & O_TRUNC && existed && found.st_size);
    if (changes && fails(OPEN)) return locked(-1);
    int fd = syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= MAX_FD) abort();
    if (fd >= 0) {
        handles[fd] = next_handle++, written[fd] = 0;
        record(OPEN, (changes && !existed) | (changes && existed) << 1, handles[fd], 0, name, 0, 0);
    }
    return locked(fd);
}

#define MODE(last) va_list more; va_start(more, last); mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; va_end(more)
int open(const char *path, int flags, ...) { MODE(flags); return open_below(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return open_below(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags); return open_below(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags); return open_below(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_below(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_below(AT_FDCWD, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* One write at an offset, or at the position of the descriptor if that is negative. */
static ssize_t write_below(int fd, const void *data, size_t length, off_t offset) {
    uint64_t handle = handle_of(fd);
    if (!handle) return offset < 0 ? syscall(SYS_write, fd, data, length) : syscall(SYS_pwrite64, fd, data, length, offset);
    pthread_mutex_lock(&mutex);
    off_t begin = offset;
    if (offset < 0) {
        struct stat found;
        begin = fcntl(fd, F_GETFL) & O_APPEND && !fstat(fd, &found) ? found.st_size : lseek(fd, 0, SEEK_CUR);
    }
    /* An error of a write is one after half of it was written, as when a disk is full; a kill falls there, too. */
    size_t half = length / 2;
    int torn = kinds >> WRITE & 1 && action && counted + 1 == target && half && !short_write_done;
    if (torn) {
        long n = offset < 0 ? syscall(SYS_write, fd, data, half) : syscall(SYS_pwrite64, fd, data, half, offset);
        if (n > 0) record(WRITE, 0, handle, begin, 0, data, n);
        if (action != KILL && error_number == ENOSPC && n > 0) { /* a short write; the next one fails */
            counted++, target++, short_write_done = 1;
            written[fd] = 1;
            return locked(n);
        }
    }
    if (fails(WRITE)) return locked(-1);
    ssize_t done = offset < 0 ? syscall(SYS_write, fd, data, length) : syscall(SYS_pwrite64, fd, data, length, offset);
    if (done > 0) written[fd] = 1, record(WRITE, 0, handle, begin, 0, data, done);
    return locked(done);
}

ssize_t write(int fd, const void *data, size_t length) { return write_below(fd, data, length, -1); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return write_below(fd, data, length, offset); }
ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) { return write_below(fd, data, length, offset); }
ssize_t writev(int fd, const struct iovec *pieces, int count) {
    if (!handle_of(fd)) return syscall(SYS_writev, fd, pieces, count);
    for (int i = 0; i < count; i++) /* fewer bytes than asked for is a valid answer */
        if (pieces[i].iov_len) return write(fd, pieces[i].iov_base, pieces[i].iov_len);
    return 0;
}
ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset) {
    for (int i = 0; i < count; i++)
        if (pieces[i].iov_len) return pwrite(fd, pieces[i].iov_base, pieces[i].iov_len, offset);
    return 0;
}
ssize_t pwritev64(int fd, const struct iovec *pieces, int count, off_t offset) { return pwritev(fd, pieces, count, offset); }

/* Both make their callers fall back to read and write. */
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    if (handle_of(to)) { errno = ENOSYS; return -1; }
    return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, length, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
    if (handle_of(to)) { errno = EINVAL; return -1; }
    return syscall(SYS_sendfile, to, from, offset, length);
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t length) { return sendfile(to, from, offset, length); }

int ftruncate(int fd, off_t length) {
    uint64_t handle = handle_of(fd);
    if (!handle) return syscall(SYS_ftruncate, fd, length);
    pthread_mutex_lock(&mutex);
    if (fails(TRUNCATE)) return locked(-1);
    int result = syscall(SYS_ftruncate, fd, length);
    if (!result) written[fd] = 1, record(TRUNCATE, 0, handle, length, 0, 0, 0);
    return locked(result);
}
int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }
int truncate(const char *path, off_t length) {
    int fd = open(path, O_WRONLY);
    if (fd < 0) return -1;
    int result = ftruncate(fd, length), saved = errno;
    close(fd);
    errno = saved;
    return result;
}
int truncate64(const char *path, off_t length) { return truncate(path, length); }
int posix_fallocate(int fd, off_t offset, off_t length) {
    struct stat found;
    if (!handle_of(fd)) return syscall(SYS_fallocate, fd, 0, offset, length) ? errno : 0;
    if (fstat(fd, &found)) return errno;
    return found.st_size < offset + length && ftruncate(fd, offset + length) ? errno : 0;
}
int posix_fallocate64(int fd, off_t offset, off_t length) { return posix_fallocate(fd, offset, length); }
int fallocate(int fd, int mode, off_t offset, off_t length) {
    if (handle_of(fd)) { errno = EOPNOTSUPP; return -1; }
    return syscall(SYS_fallocate, fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off_t offset, off_t length) { return fallocate(fd, mode, offset, length); }

/* Pages written through a map have no write of their own: their content is recorded when they are forced to disk. */
static void record_mapped_content(int fd, uint64_t handle) {
    struct stat found;
    if (!map_count || fstat(fd, &found)) return;
    for (int i = 0; i < map_count; i++) {
        if (maps[i].device != found.st_dev || maps[i].inode != found.st_ino) continue;
        char *content = malloc(found.st_size + 1);
        long length = syscall(SYS_pread64, fd, content, found.st_size, 0);
        if (length > 0) record(WRITE, 0, handle, 0, 0, content, length);
        free(content);
        return;
    }
}

static int sync_below(int fd, long call) {
    uint64_t handle = handle_of(fd);
    if (!handle) return syscall(call, fd);
    pthread_mutex_lock(&mutex);
    record_mapped_content(fd, handle);
    if (fails(SYNC)) return locked(-1);
    int result = syscall(call, fd);
    if (!result) record(SYNC, 0, handle, 0, 0, 0, 0);
    return locked(result);
}
int fsync(int fd) { return sync_below(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_below(fd, SYS_fdatasync); }

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    void *result = (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
    uint64_t handle = handle_of(fd);
    if (result == MAP_FAILED || !handle || !(flags & MAP_SHARED) || !(protection & PROT_WRITE)) return result;
    struct stat found;
    fstat(fd, &found);
    pthread_mutex_lock(&mutex);
    if (map_count == MAX_MAPS) abort();
    maps[map_count++] = (struct map){result, length, offset, handle, found.st_dev, found.st_ino};
    locked(0);
    return result;
}
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap(address, length, protection, flags, fd, offset);
}
int msync(void *address, size_t length, int flags) {
    int result = 0;
    pthread_mutex_lock(&mutex);
    struct map *map = 0;
    for (int i = 0; armed && i < map_count; i++)
        if ((char *)address >= maps[i].address && (char *)address < maps[i].address + maps[i].length) map = maps + i;
    if (map) record(WRITE, 0, map->handle, map->offset, 0, map->address, map->length);
    if (map && fails(SYNC)) return locked(-1);
    result = syscall(SYS_msync, address, length, flags);
    if (map && !result && flags & MS_SYNC) record(SYNC, 0, map->handle, 0, 0, 0, 0);
    return locked(result);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char old[2 * PATH_MAX], new[2 * PATH_MAX];
    if (!below(from_folder, from, old) || !below(to_folder, to, new))
        return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    pthread_mutex_lock(&mutex);
    if (fails(RENAME)) return locked(-1);
    int result = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (!result) record(RENAME, 0, 0, 0, old, new, strlen(new));
    return locked(result);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) { return renameat2(from_folder, from, to_folder, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    char old[2 * PATH_MAX], new[2 * PATH_MAX];
    if (!below(from_folder, from, old) || !below(to_folder, to, new))
        return syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    pthread_mutex_lock(&mutex);
    if (fails(LINK)) return locked(-1);
    int result = syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    if (!result) record(LINK, 0, 0, 0, old, new, strlen(new));
    return locked(result);
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char *target_path, int folder, const char *path) {
    char name[2 * PATH_MAX];
    if (!below(folder, path, name)) return syscall(SYS_symlinkat, target_path, folder, path);
    pthread_mutex_lock(&mutex);
    if (fails(SYMLINK)) return locked(-1);
    int result = syscall(SYS_symlinkat, target_path, folder, path);
    if (!result) record(SYMLINK, 0, 0, 0, name, target_path, strlen(target_path));
    return locked(result);
}
int symlink(const char *target_path, const char *path) { return symlinkat(target_path, AT_FDCWD, path); }

int unlinkat(int folder, const char *path, int flags) {
    char name[2 * PATH_MAX];
    if (!below(folder, path, name)) return syscall(SYS_unlinkat, folder, path, flags);
    int operation = flags & AT_REMOVEDIR ? RMDIR : UNLINK;
    pthread_mutex_lock(&mutex);
    if (!faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) && fails(operation)) return locked(-1);
    int result = syscall(SYS_unlinkat, folder, path, flags);
    if (!result) record(operation, 0, 0, 0, name, 0, 0);
    return locked(result);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdirat(int folder, const char *path, mode_t mode) {
    char name[2 * PATH_MAX];
    if (!below(folder, path, name)) return syscall(SYS_mkdirat, folder, path, mode);
    pthread_mutex_lock(&mutex);
    if (faccessat(folder, path, F_OK, 0) && fails(MKDIR)) return locked(-1);
    int result = syscall(SYS_mkdirat, folder, path, mode);
    if (!result) record(MKDIR, 0, 0, 0, name, 0, 0);
    return locked(result);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int close(int fd) {
    uint64_t handle = handle_of(fd);
    if (!handle) return syscall(SYS_close, fd);
    pthread_mutex_lock(&mutex);
    handles[fd] = 0;
    int failing = written[fd] && fails(CLOSE), saved = errno;
    int result = syscall(SYS_close, fd);
    record(CLOSE, 0, handle, 0, 0, 0, 0);
    if (failing) errno = saved, result = -1; /* as NFS does; the descriptor is closed all the same */
    return locked(result);
}

static int copied(int from, int to) {
    if (armed && from >= 0 && from < MAX_FD && to >= 0 && to < MAX_FD && from != to) handles[to] = handles[from], written[to] = written[from];
    return to;
}
int dup(int fd) { return copied(fd, syscall(SYS_dup, fd)); }
int dup3(int fd, int to, int flags) { return copied(fd, syscall(SYS_dup3, fd, to, flags)); }
int dup2(int fd, int to) { return fd == to ? (fcntl(fd, F_GETFD) < 0 ? -1 : fd) : dup3(fd, to, 0); }
int fcntl(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    long argument = va_arg(more, long);
    va_end(more);
    int result = syscall(SYS_fcntl, fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}
int fcntl64(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    long argument = va_arg(more, long);
    va_end(more);
    return fcntl(fd, command, argument);
}


/* System calls that were not made by syscall(), which only the functions above use, come here. */
static void trapped(int signal_number, siginfo_t *info, void *context) {
    (void)signal_number;
    ucontext_t *state = context;
#if defined(__x86_64__)
    greg_t *registers = state->uc_mcontext.gregs;
    long a = registers[REG_RDI], b = registers[REG_RSI], c = registers[REG_RDX], d = registers[REG_R10], e = registers[REG_R8];
#elif defined(__aarch64__)
    unsigned long long *registers = state->uc_mcontext.regs;
    long a = registers[0], b = registers[1], c = registers[2], d = registers[3], e = registers[4];
#else
#error "unknown registers"
#endif
    int saved = errno;
    long result = -1;
    switch (info->si_syscall) {
#ifdef SYS_open
        case SYS_open: result = open_below(AT_FDCWD, (char *)a, b, c); break;
        case SYS_rename: result = rename((char *)a, (char *)b); break;
        case SYS_unlink: result = unlink((char *)a); break;
        case SYS_rmdir: result = rmdir((char *)a); break;
        case SYS_mkdir: result = mkdir((char *)a, b); break;
        case SYS_link: result = link((char *)a, (char *)b); break;
#endif
#ifdef SYS_renameat
        case SYS_renameat: result = renameat(a, (char *)b, c, (char *)d); break;
#endif
        case SYS_openat: result = open_below(a, (char *)b, c, d); break;
        case SYS_renameat2: result = renameat2(a, (char *)b, c, (char *)d, e); break;
        case SYS_unlinkat: result = unlinkat(a, (char *)b, c); break;
        case SYS_mkdirat: result = mkdirat(a, (char *)b, c); break;
        case SYS_linkat: result = linkat(a, (char *)b, c, (char *)d, e); break;
        case SYS_write: result = write(a, (void *)b, c); break;
        case SYS_pwrite64: result = pwrite(a, (void *)b, c, d); break;
        case SYS_writev: result = writev(a, (void *)b, c); break;
        case SYS_ftruncate: result = ftruncate(a, b); break;
        case SYS_fsync: result = fsync(a); break;
        case SYS_fdatasync: result = fdatasync(a); break;
        case SYS_close: result = close(a); break;
        case SYS_dup: result = dup(a); break;
        default: abort();
    }
    result = result == -1 ? -errno : result;
    errno = saved;
#if defined(__x86_64__)
    registers[REG_RAX] = result;
#else
    registers[0] = result;
#endif
}

static void trap_other_system_calls(void) {
    static const int calls[] = {
#ifdef SYS_open
        SYS_open, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_link,
#endif
#ifdef SYS_renameat
        SYS_renameat,
#endif
        SYS_openat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_write, SYS_pwrite64, SYS_writev,
        SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_close, SYS_dup,
    };
    enum { CALLS = sizeof calls / sizeof *calls, HEAD = 6 };
    struct sock_filter filter[HEAD + CALLS + 2];
    uint64_t begin = (uint64_t)(uintptr_t)&syscall, end = begin + 64;
    if (begin >> 32 != end >> 32) abort();
    int n = 0;
#define FIELD(name, half) (offsetof(struct seccomp_data, name) + half) /* little-endian */
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(instruction_pointer, 4));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, begin >> 32, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(instruction_pointer, 0));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)begin, 0, 1);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)end, 0, CALLS + 1); /* allowed */
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr, 0));
    for (int i = 0; i < CALLS; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], CALLS - i, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sigaction handler = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    struct sock_fprog program = {n, filter};
    if (sigaction(SIGSYS, &handler, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("cannot install the filter of system calls");
        abort();
    }
}

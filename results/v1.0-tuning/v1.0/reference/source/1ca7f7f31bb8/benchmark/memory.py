"""Host memory that is freed is kept for what comes next."""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of glibc's mallopt


def keep_freed_memory() -> bool:
    """Have malloc keep freed memory instead of handing it back to the system; whether it will.

    By default glibc gives every large array fresh pages, which the kernel clears and maps one by one: a ReLU of 32 MB
    takes 16 ms then, and 3 ms in memory that was used before. Affects the whole process; for what allocates the same
    sizes over and over, as a CPU's training steps and the making of samples do. Other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(M_MMAP_MAX, 0) and mallopt(M_TRIM_THRESHOLD, -1))

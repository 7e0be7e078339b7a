#!/usr/bin/env bash
# Run a script as root of a new, small file system: /usr of this machine, a Python at /usr/local,
# an /etc of its own, and nothing else. It needs root, and its own mount namespace (unshare).
#
# fresh_root.sh ROOT PYTHON-PREFIX SCRIPT [read-only]
set -euo pipefail
root=$1 python=$2 script=$3 mode=${4:-}
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root"/{usr,etc,proc,dev,tmp,data,src}
for name in bin sbin lib lib64; do
    [[ ! -L /$name || -L $root/$name ]] || ln -s "usr/$name" "$root/$name"
done
mount --rbind -o ro /usr "$root/usr"
mount --bind -o ro "$python" "$root/usr/local"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero random urandom; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
done
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs tmpfs "$root/tmp"
if [[ ! -e $root/etc/passwd ]]; then
    echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"
    echo 'root:x:0:' >"$root/etc/group"
    cp -a /etc/{ssl,ld.so.cache,login.defs} "$root/etc/"
    for name in hosts resolv.conf pip.conf; do
        [[ ! -e /etc/$name ]] || cp -L "/etc/$name" "$root/etc/"
    done
fi
path=/usr/local/bin:/usr/sbin:/usr/bin
if [[ ! -e $python/bin/python ]]; then # Debian's Python has only the longer name
    mkdir -p "$root/python"
    ln -sf /usr/local/bin/python3 "$root/python/python"
    path=/python:$path
fi
cp "$script" "$root/tmp/script"
if [[ $mode == read-only ]]; then
    mount --bind "$root/data" "$root/data"
    mount -o remount,bind,ro "$root"
fi
cd "$root"
settings=() # of pip, and of a proxy that leads to its packages
while IFS= read -r -d '' setting; do
    [[ ! $setting =~ ^(PIP_|[A-Za-z]+_(proxy|PROXY)=) ]] || settings+=("$setting")
done < <(env -0)
exec chroot . /usr/bin/env -i "${settings[@]}" LANG=C.UTF-8 PATH=$path LD_LIBRARY_PATH=/usr/local/lib \
    /bin/bash -euo pipefail /tmp/script

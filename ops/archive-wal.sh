#!/bin/sh
# Copy a file of PostgreSQL's log into an archive: whole, on the disk, and never over another one.
# archive_command = '/usr/local/sbin/archive-wal.sh %p /var/backups/masthead-archive/wal/%f'
set -eu
umask 027
if [ -e "$2" ]; then # PostgreSQL repeats a command whose end it has not seen
    cmp -s "$1" "$2" && exit 0
    echo "$2 exists and differs: is it the archive of another server?" >&2
    exit 1
fi
new="$(dirname "$2")/.$(basename "$2").new"
cp "$1" "$new"
chmod 640 "$new" # the group of the folder may read it; PostgreSQL's files are 600
sync "$new"
mv "$new" "$2"
sync "$(dirname "$2")"

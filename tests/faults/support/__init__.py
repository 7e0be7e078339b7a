"""What the fault tests break with: disks, clocks, proxies."""

"""How requests reach the application: workers, sockets, and limits that the server lacks.

The server is granian, and some of this uses parts of it that are not public:

- `supervisor.py` changes its supervisor `MPServer`, which gives up if a worker dies twice, and
  cannot listen on sockets of systemd: it overrides `_serve_loop`, `_spawn_worker` and
  `_init_shared_socket`, calls `_respawn_workers`, and sets `_sso`, `_ssp`, `_shd` and
  `interrupt_by_parent`.
- `connections.py` finds the server's sockets by their descriptors and shuts down idle connections,
  as granian has no way to close one. `worker.py` puts another socket in the place of its listener,
  and handles signals itself, in the place of `_signals.set_loop_signals`: granian closes
  connections at once, and a third signal would block a worker for ever.

Any release of granian may change this, so `start.py` refuses those that were not tested. asyncio,
uvloop and Starlette are used by their public interfaces. See decisions 0029 and 0053.
"""

"""`make clients`: write the generated parts of the clients."""

from tools.clients.files import ROOT, write_clients

write_clients(ROOT)

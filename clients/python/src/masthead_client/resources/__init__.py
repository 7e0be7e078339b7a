"""The resources of the API.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

from masthead_client.connection import AsyncConnection, Connection
from masthead_client.resources.address_changes import AddressChanges, AsyncAddressChanges
from masthead_client.resources.claims import AsyncClaims, Claims
from masthead_client.resources.copies import AsyncCopies, Copies
from masthead_client.resources.delivery_reports import AsyncDeliveryReports, DeliveryReports
from masthead_client.resources.dispatches import AsyncDispatches, Dispatches
from masthead_client.resources.events import AsyncEvents, Events
from masthead_client.resources.invoices import AsyncInvoices, Invoices
from masthead_client.resources.issues import AsyncIssues, Issues
from masthead_client.resources.me import AsyncMe, Me
from masthead_client.resources.orders import AsyncOrders, Orders
from masthead_client.resources.payments import AsyncPayments, Payments
from masthead_client.resources.products import AsyncProducts, Products
from masthead_client.resources.sandbox import AsyncSandbox, Sandbox
from masthead_client.resources.sources import AsyncSources, Sources
from masthead_client.resources.subscribers import AsyncSubscribers, Subscribers
from masthead_client.resources.subscriptions import AsyncSubscriptions, Subscriptions
from masthead_client.resources.webhooks import AsyncWebhooks, Webhooks


class Resources:
    """The resources of the API."""

    def __init__(self, connection: Connection) -> None:
        self.me = Me(connection)
        self.subscribers = Subscribers(connection)
        self.sources = Sources(connection)
        self.subscriptions = Subscriptions(connection)
        self.issues = Issues(connection)
        self.copies = Copies(connection)
        self.dispatches = Dispatches(connection)
        self.delivery_reports = DeliveryReports(connection)
        self.claims = Claims(connection)
        self.invoices = Invoices(connection)
        self.payments = Payments(connection)
        self.products = Products(connection)
        self.orders = Orders(connection)
        self.address_changes = AddressChanges(connection)
        self.events = Events(connection)
        self.webhooks = Webhooks(connection)
        self.sandbox = Sandbox(connection)


class AsyncResources:
    """The resources of the API."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.me = AsyncMe(connection)
        self.subscribers = AsyncSubscribers(connection)
        self.sources = AsyncSources(connection)
        self.subscriptions = AsyncSubscriptions(connection)
        self.issues = AsyncIssues(connection)
        self.copies = AsyncCopies(connection)
        self.dispatches = AsyncDispatches(connection)
        self.delivery_reports = AsyncDeliveryReports(connection)
        self.claims = AsyncClaims(connection)
        self.invoices = AsyncInvoices(connection)
        self.payments = AsyncPayments(connection)
        self.products = AsyncProducts(connection)
        self.orders = AsyncOrders(connection)
        self.address_changes = AsyncAddressChanges(connection)
        self.events = AsyncEvents(connection)
        self.webhooks = AsyncWebhooks(connection)
        self.sandbox = AsyncSandbox(connection)

"""The files of an invoice: PDF, Factur-X and XRechnung. A document alone decides their bytes."""

"""The versions of a store as a page shows them: searched, and drawn as branches."""

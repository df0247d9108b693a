"""The badge's app on asyncio: one task owns each resource, a supervisor keeps them alive."""

"""The demo: six virtual badges, a gateway, the page and a scripted skirmish in one process."""

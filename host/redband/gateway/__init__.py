"""The gateway: follow adverts, fetch journals into the store, say broadcasts."""

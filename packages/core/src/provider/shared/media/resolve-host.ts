interface DnsModule {
  lookup(host: string, options: { all: true }): Promise<readonly { readonly address: string }[]>;
}

/**
 * The addresses behind a name, where the platform tells (Node); nothing in a browser, which has guards of its own, and nothing for a name
 * that does not resolve: the download says that better.
 */
export async function addressesOf(hostname: string): Promise<readonly string[]> {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => DnsModule | undefined } };
  const dns = process?.getBuiltinModule?.('node:dns/promises');
  if (dns === undefined) return [];
  try {
    return (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

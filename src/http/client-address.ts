import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Stands for all invalid addresses, so that invented ones share a single limit. */
const UNKNOWN = 'unknown';
/** The prefix length of the smallest IPv6 network of a customer (RFC 6177, RFC 4291 §2.5.1). */
const IPV6_NETWORK_BITS = 64;
/** The size of the cache of networks by address. */
const MAX_REMEMBERED = 1000;
/** Characters; `X-Forwarded-For` may have any. */
const LONGEST_REMEMBERED = 64;
const networks = new Map<string, string>();
/** The prefix length of IPv4-mapped IPv6 addresses (RFC 4291 §2.5.5.2). */
const MAPPED_BITS = 96;

/**
 * Normalizes an address of a socket or of `X-Forwarded-For`: removes the port that some gateways add
 * (`192.0.2.11:50001`, `[2001:db8::1]:50001`), brackets and zone, and unwraps IPv4-mapped IPv6 addresses.
 * @returns null if it is not an address
 */
export function clientAddress(text: string | undefined): string | null {
  return parse(text)?.toString() ?? null;
}

/**
 * The network to apply limits to: the IPv4 address, or the /64 of an IPv6 address (`2001:db8:0:1::/64`), because its holder
 * has all of its addresses. `unknown` if it is not an address.
 */
export function networkOf(text = ''): string {
  const known = networks.get(text);
  if (known !== undefined) return known;
  const network = networkOfAddress(parse(text));
  if (text.length > LONGEST_REMEMBERED) return network;
  if (networks.size >= MAX_REMEMBERED) networks.clear();
  networks.set(text, network);
  return network;
}

function networkOfAddress(address: Address | null): string {
  if (!address) return UNKNOWN;
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/${IPV6_NETWORK_BITS}`;
}

/** TRUST_PROXY as a function: whether to trust the proxy at an address, `hop` proxies away from the service. */
export function trustOf(
  setting: boolean | number | readonly string[],
): boolean | ((address: string, hop: number) => boolean) {
  // Fastify trusts no one by a bare hop count, as it can't check the peer; the operator who set it says that it is so.
  if (typeof setting === 'number') return (_address, hop) => hop < setting;
  if (typeof setting === 'boolean') return setting;
  const networks = setting.map(networkIn);
  return (text) => {
    const address = parse(text);
    if (!address) return false;
    return networks.some(
      ([network, bits]) => address.kind() === network.kind() && address.match(network, bits),
    );
  };
}

function parse(text: string | undefined): Address | null {
  const host = hostOf((text ?? '').trim());
  const [bare = ''] = host.split('%'); // a zone is a matter of the machine that wrote it
  // Node decides what is an address: the library also reads octal, hexadecimal and shortened ones.
  return isIPv4(bare) || isIPv6(bare) ? ipaddr.process(bare) : null;
}

/** The host of `host`, `host:port` or `[host]:port`. */
function hostOf(text: string): string {
  if (text.startsWith('[')) return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? '';
  return /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** A network of TRUST_PROXY, which has been checked (config/checks.ts). */
function networkIn(text: string): [Address, number] {
  const [address, bits] = ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${isIPv4(text) ? 32 : 128}`);
  const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return mapped ? [address.toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
}

// Which addresses are out there for everybody. Decided by number, after parsing, and by a list of what is public rather than
// of what is not: a range that nobody thought of is private.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Metadata servers of clouds that no range gives away, or that a name must never open: whoever reads there has the machine's keys. */
const METADATA = ["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"];

export function isPublicAddress(address: string): boolean {
  // With a zone (`fe80::1%eth0`) it is of this link.
  if (isIP(address) === 0 || address.includes("%")) return false;
  const ip = ipaddr.process(address);
  if (METADATA.includes(ip.toString()) || isOwn(ip.toString())) return false;
  return ip instanceof ipaddr.IPv4 ? ip.range() === "unicast" : isPublicV6(ip);
}

const OF_AN_INTRANET = ["private", "loopback", "uniqueLocal", "carrierGradeNat"];

/** Whether a host that a person has named may have this address: an intranet's, but no link's and no cloud's own. */
export function isIntranetAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const ip = ipaddr.process(address);
  if (METADATA.includes(ip.toString())) return false;
  return OF_AN_INTRANET.includes(ip.range()) || (ip.range() === "unicast" && isOwn(ip.toString()));
}

const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("64:ff9b::"), 96];
/** Of the global ones: Teredo, ORCHID and other assignments to protocols, and the former 6bone. */
const NOT_HOSTS = ["2001::/23", "3ffe::/16"].map((range) => ipaddr.IPv6.parseCIDR(range));

function isPublicV6(ip: ipaddr.IPv6): boolean {
  // On a network without IPv4 every IPv4 host looks like this: what counts is the address inside.
  if (ip.match(NAT64)) return isPublicAddress(new ipaddr.IPv4(ip.toByteArray().slice(12)).toString());
  if (!ip.match(GLOBAL) || ip.range() !== "unicast") return false;
  return !isIsatap(ip) && !NOT_HOSTS.some((range) => ip.match(range));
}

/** An address of IPv4 in the lower half, behind `5efe`: the way to it is a tunnel into the local network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;

/** What listens on this machine for its neighbours is not meant for us, whatever its address. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address));
}

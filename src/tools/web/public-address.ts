// Distinguishes public from private addresses by their numeric value.
// Only known public ranges are treated as public. Every other range is treated as private.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Cloud metadata servers outside the private ranges. They give the machine's keys to every program that requests them. */
const METADATA = ["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"];

export function isPublicAddress(address: string): boolean {
  // An address with a zone (`fe80::1%eth0`) is link-local.
  if (isIP(address) === 0 || address.includes("%")) return false;
  const ip = ipaddr.process(address);
  if (METADATA.includes(ip.toString()) || isOwn(ip.toString())) return false;
  return ip instanceof ipaddr.IPv4 ? ip.range() === "unicast" : isPublicV6(ip);
}

const OF_AN_INTRANET = ["private", "loopback", "uniqueLocal", "carrierGradeNat"];

/** True if a host listed under `web.private` is allowed to have this address. Link-local and metadata addresses are excluded. */
export function isIntranetAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const ip = ipaddr.process(address);
  if (METADATA.includes(ip.toString())) return false;
  return OF_AN_INTRANET.includes(ip.range()) || (ip.range() === "unicast" && isOwn(ip.toString()));
}

const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("64:ff9b::"), 96];
/** Global ranges without hosts: Teredo, ORCHID and other protocol assignments, and the former 6bone. */
const NOT_HOSTS = ["2001::/23", "3ffe::/16"].map((range) => ipaddr.IPv6.parseCIDR(range));

function isPublicV6(ip: ipaddr.IPv6): boolean {
  // On an IPv6-only network, every IPv4 host has a NAT64 address. Only the IPv4 address inside it matters.
  if (ip.match(NAT64)) return isPublicAddress(new ipaddr.IPv4(ip.toByteArray().slice(12)).toString());
  if (!ip.match(GLOBAL) || ip.range() !== "unicast") return false;
  return !isIsatap(ip) && !NOT_HOSTS.some((range) => ip.match(range));
}

/** An ISATAP address has an IPv4 address in its lower half, behind `5efe`. It is reached by a tunnel into the local network. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe;

/** All addresses of this machine are treated as private, even public ones, because agents must not reach its services. */
function isOwn(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address));
}

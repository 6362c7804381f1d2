// Decides which sites can be read. It checks the URL before the name lookup, and every IP address of the host after the lookup.
// Both checks use the parsed URL, and the connection goes to exactly the checked addresses.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { z } from "zod";
import { isSameOrSubdomain, plainHost, type Site } from "../../config/hosts.ts";
import type { Web } from "../../config/schema.ts";
import { isIntranetAddress, isPublicAddress } from "./public-address.ts";

export type WebSettings = z.output<typeof Web>;

export const WEB_TIMEOUT = 30_000;

export interface WebPolicy {
  settings: WebSettings;
  /** Port of Cadre's own server. Agents must not reach it, even if they are allowed to read other pages of this machine (A40). */
  ownPort: number;
}

/** Ports of web servers. Databases, mail servers and shells use other ports. */
const PORTS = [80, 443, 8000, 8008, 8080, 8443, 8888];

/** Names of local networks. Looking up such a name would tell the resolver what an agent is looking for. */
const LOCAL_NAMES = "localhost local internal localdomain intranet lan home corp private home.arpa".split(
  " ",
);

/** Says in a sentence for the model why the URL cannot be read. Undefined if its host name can be looked up. */
export function urlProblem(url: URL, { settings }: WebPolicy): string | undefined {
  const host = plainHost(url);
  const port = portOf(url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `Only http and https addresses are read, not ${url.protocol}`;
  if (url.username !== "" || url.password !== "")
    return "An address with a user name or a password in it is not read. Leave them out.";
  if (/^$|^\.|\.\.|\.$/.test(host)) return "The address has no host that could have a page.";
  if (settings.deny.some((entry) => isSameOrSubdomain(host, entry)))
    return `${host} is denied by web.deny in cadre.yaml. Look elsewhere.`;
  if (settings.allow.length > 0 && !settings.allow.some((entry) => isSameOrSubdomain(host, entry)))
    return `${host} is not among the hosts that web.allow in cadre.yaml lists: ${settings.allow.join(", ")}.`;
  if (!PORTS.includes(port) && !settings.private.some((site) => site.port === port))
    return `Pages are read from the ports ${PORTS.join(", ")}, not from ${port}. ${howToAllow(host, port)}`;
  if (
    isLocalName(host) &&
    !settings.private.some((site) => "host" in site && isSameOrSubdomain(host, site.host))
  )
    return `${host} is a name of a private network, which is not read. ${howToAllow(host, port)}`;
  return undefined;
}

export function addressProblem(
  address: string,
  url: URL,
  { settings, ownPort }: WebPolicy,
): string | undefined {
  const port = portOf(url);
  const host = plainHost(url);
  const isOpen = settings.private.some((site) => allowsAddress(site, { host, port, address }));
  if (isPublicAddress(address))
    return PORTS.includes(port) || isOpen ? undefined : `Port ${port} is not read.`;
  if (port === ownPort) return "That is Cadre's own interface, which agents do not get to.";
  if (isOpen) return undefined;
  const what = host === address ? `${host} is` : `${host} has the address ${address}, which is`;
  return `${what} private: of this machine, its network or its cloud. ${howToAllow(host, port)}`;
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === "https:" ? 443 : 80);

function howToAllow(host: string, port: number): string {
  const site = PORTS.includes(port) ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const own = isOwnMachine(host) ? "A server that you started yourself answers to Bash (curl). " : "";
  return `${own}To let agents read this site, a person sets \`web: { private: ["${site}"] }\` in cadre.yaml.`;
}

const isOwnMachine = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host);

function isLocalName(host: string): boolean {
  if (isIP(host) !== 0) return false;
  return !host.includes(".") || LOCAL_NAMES.some((name) => isSameOrSubdomain(host, name));
}

function allowsAddress(
  site: Site,
  { host, port, address }: { host: string; port: number; address: string },
): boolean {
  if (site.port === undefined ? !PORTS.includes(port) : site.port !== port) return false;
  if ("host" in site)
    return isSameOrSubdomain(host, site.host) && (isPublicAddress(address) || isIntranetAddress(address));
  const ip = ipaddr.process(address);
  const [base, bits] = ipaddr.parseCIDR(site.range);
  return ip.kind() === base.kind() && ip.match(base, bits);
}

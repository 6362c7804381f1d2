// Parses hosts and sites in the configuration. A host includes its subdomains. IP addresses and CIDR ranges have no subdomains.
// Hosts and addresses are parsed with the URL parser, so that a setting and a URL always mean the same host.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";

export const HttpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

/** A host or a range of addresses. With a port, the entry covers only that port. */
export type Site = { port?: number } & ({ host: string } | { range: string });

/** The host of a URL without brackets and without a trailing dot, so `example.com.` is returned as `example.com`. */
export const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, "");

/** The comparison includes the dot: `evil-example.com` is not a subdomain of `example.com`. */
export const isSameOrSubdomain = (host: string, parent: string): boolean =>
  host === parent || (isIP(parent) === 0 && host.endsWith(`.${parent}`));

export const HostEntry = z.string().transform((written, context): string => {
  const site = readSite(written);
  if (site && site.port === undefined && !written.includes("/"))
    return "host" in site ? site.host : site.range.split("/")[0]!;
  context.addIssue({ code: "custom", message: `"${written}" is no host: write example.com, which ${BELOW}` });
  return z.NEVER;
});

export const SiteEntry = z.string().transform((written, context): Site => {
  const site = readSite(written);
  if (site) return site;
  const message = `"${written}" is no site: write a host, an address or a range, such as localhost:3000 or 10.1.0.0/16`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const BELOW = "stands for everything below it too, without a port or a path";

function readSite(written: string): Site | undefined {
  if (ipaddr.isValidCIDR(written)) return { range: written };
  const bare = isIP(written) === 6 ? `[${written}]` : written;
  const [, name, digits] = /^(\[[\da-f:.]+\]|[^\s:/@?#\\*[\]]+)(?::(\d{1,5}))?$/i.exec(bare) ?? [];
  const port = digits === undefined ? {} : { port: Number(digits) };
  if (name === undefined || !URL.canParse(`http://${bare}/`)) return undefined;
  const host = plainHost(new URL(`http://${name}/`));
  const bits = { 0: undefined, 4: 32, 6: 128 }[isIP(host)];
  return bits === undefined ? { host, ...port } : { range: `${host}/${bits}`, ...port };
}

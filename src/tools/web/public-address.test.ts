import { networkInterfaces } from "node:os";
import { expect, it } from "vitest";
import { isIntranetAddress, isPublicAddress } from "./public-address.ts";

it.each([
  "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255",
  "192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1",
  "239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16 ::ffff:168.63.129.16",
  ":: ::1 ::7f00:1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a9fe:a9fe 64:ff9b:1::808:808 100::1 2001::1 2001:0:7f00:1:: 2001:10::1 2001:20::1 2001:2::1 2001:db8::1",
  "2002:7f00:1:: 2002:a9fe:a9fe::1 2002:808:808::1 3ffe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1",
  "fe80::1%lo fec0::1 ff02::1 4000::1 2600::5efe:a00:1 2600::200:5efe:7f00:1",
  "localhost 127.1 0x7f.1 2130706433 1 [::1] 8.8.8.8:80",
])("[A40] [A41] these addresses are not public: %s", (addresses) => {
  expect(addresses.split(" ").filter(isPublicAddress)).toEqual([]);
});

it.each([
  "1.1.1.1 8.8.8.8 93.184.216.34 172.32.0.1 192.0.1.1 2606:4700::1111 2001:4860:4860::8888 64:ff9b::808:808",
])("these addresses are public: %s", (addresses) => {
  expect(addresses.split(" ").filter((address) => !isPublicAddress(address))).toEqual([]);
});

it("[A40] every address of this machine is treated as private, even a public one", () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all!.map(({ address }) => address));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter(isPublicAddress)).toEqual([]);
});

it("[A40] intranet addresses include private ranges, but not link-local or cloud metadata addresses", () => {
  expect("10.0.0.1 127.0.0.1 ::1 fd12::1 100.64.0.1".split(" ").every(isIntranetAddress)).toBe(true);
  const never =
    "169.254.169.254 ::ffff:a9fe:a9fe fe80::1 0.0.0.0 fd00:ec2::254 100.100.100.200 168.63.129.16 8.8.8.8 224.0.0.1";
  expect(never.split(" ").filter(isIntranetAddress)).toEqual([]);
});

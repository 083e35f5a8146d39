import { expect, test } from "bun:test";
import { isPublic } from "../../relay/public-address.ts";

test("only addresses of the public internet are public", () => {
  const reserved =
    "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 " +
    "192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:a00:1 " +
    "64:ff9b::7f00:1 2001:db8::1 2002:7f00:1:: fc00::1 fd12::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 localhost";
  expect(reserved.split(" ").filter(isPublic)).toEqual([]);
  const open =
    "1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 192.167.1.1 223.255.255.255 2606:4700::1111 2a00:1450::1";
  expect(open.split(" ").filter((address) => !isPublic(address))).toEqual([]);
});

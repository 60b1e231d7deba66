/** Classes of addresses, in every form in which an address can hide. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addressClass,
  hostPermission,
  inBlock,
  isAllowance,
  webAllowances,
} from '../../src/client/address-guard.ts'

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const hex = (high: number, low: number) => ((high << 8) | low).toString(16)

describe('an address', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['9.255.255.255', 'public'],
    ['10.0.0.0', 'internal'],
    ['10.255.255.255', 'internal'],
    ['11.0.0.0', 'public'],
    ['126.255.255.255', 'public'],
    ['127.255.255.255', 'internal'],
    ['128.0.0.0', 'public'],
    ['169.253.255.255', 'public'],
    ['169.254.0.0', 'never'],
    ['192.0.1.0', 'public'],
    ['192.167.255.255', 'public'],
    ['192.168.0.0', 'internal'],
    ['192.169.0.0', 'public'],
    ['198.17.255.255', 'public'],
    ['198.18.0.0', 'never'],
    ['198.20.0.0', 'public'],
    ['198.51.100.1', 'never'],
    ['203.0.113.1', 'never'],
    ['223.255.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['2001:1::1', 'public'],
    ['2001:20::1', 'never'],
    ['2001:30::1', 'public'],
    ['64:ff9b:1::808:808', 'never'],
    ['64:ff9b::808:808', 'public'],
    ['100::1', 'never'],
    ['100:0:0:1::1', 'public'],
    ['fbff::1', 'public'],
    ['fc00::1', 'internal'],
    ['fe00::1', 'public'],
    ['febf::1', 'never'],
    ['fec0::1', 'internal'],
    ['fe80::1%eth0', 'never'],
    ['2606:4700::1111%eth0', 'never'],
    ['localhost', 'never'],
    ['', 'never'],
  ])('%s is %s', (address, expected) => {
    expect(addressClass(address)).toBe(expected)
  })

  it('[T1] inside an IPv6 address has the class that it has outside', () => {
    fc.assert(
      fc.property(ipv4, ([a, b, c, d]) => {
        const plain = `${a}.${b}.${c}.${d}`
        const tail = `${hex(a, b)}:${hex(c, d)}`
        const forms = [
          `::ffff:${plain}`,
          `::ffff:${tail}`,
          `0:0:0:0:0:ffff:${tail}`,
          `2002:${tail}::1`,
          `64:ff9b::${plain}`,
          `64:FF9B:0:0:0:0:${tail}`,
        ]
        const classes = forms.map(addressClass)
        expect(classes).toEqual(forms.map(() => addressClass(plain)))
      }),
      { examples: [[[169, 254, 169, 254]], [[127, 0, 0, 1]], [[10, 0, 0, 1]], [[8, 8, 8, 8]]] },
    )
  })

  it('is in a block or not, whatever its form', () => {
    expect(inBlock('10.20.3.4', '10.20.0.0/16')).toBe(true)
    expect(inBlock('::ffff:10.20.3.4', '10.20.0.0/16')).toBe(true)
    expect(inBlock('10.21.0.0', '10.20.0.0/16')).toBe(false)
    expect(inBlock('10.20.3.4', '10.20.3.4')).toBe(true)
    expect(inBlock('fd12::1', 'fd00::/8')).toBe(true)
    expect(inBlock('fd12::1', '10.0.0.0/8')).toBe(false)
    expect(inBlock('10.0.0.1', '10.0.0.0/33')).toBe(false)
    expect(inBlock('10.0.0.1', '10.0.0.0/8/8')).toBe(false)
    expect(inBlock('10.0.0.1', '')).toBe(false)
  })
})

describe('an allowance', () => {
  it.each([
    ['10.20.0.0/16', true],
    ['10.20.3.4', true],
    ['fd00::/8', true],
    ['intern.example', true],
    ['store', true],
    [' Intern.Example ', true],
    ['10.20.0.0/33', false],
    ['10.20', false],
    ['http://intern.example/', false],
    ['*.example', false],
    ['a b', false],
    ['', false],
    ['intern.example:8443', true],
    ['10.20.0.0/16:8080', true],
    ['[fd00::1]:8080', true],
    ['[fd00::/8]:8080', true],
    ['intern.example:0', false],
    ['intern.example:65536', false],
    ['10.20:80', false],
  ])('%s means something: %s', (entry, meant) => {
    expect(isAllowance(entry)).toBe(meant)
  })

  it.each([
    ['127.0.0.1:8080', 'http://127.0.0.1:8080/', true],
    ['127.0.0.1:8080', 'http://127.0.0.1/', false],
    ['127.0.0.0/8:80', 'http://127.0.0.1/', true],
    ['127.0.0.0/8:80', 'https://127.0.0.1/', false],
    ['[::1]:81', 'http://[::1]:81/', true],
    ['[::1]:81', 'http://[::1]:82/', false],
    ['127.0.0.1', 'http://127.0.0.1:8080/', true],
  ])('of %s for %s: %s', (entry, address, is) => {
    const url = new URL(address)
    const { permits } = hostPermission({ kind: 'listed', allow: [entry] }, url)
    expect(permits(url.hostname.replaceAll(/[[\]]/g, ''))).toBe(is)
  })

  it('without a port means the ports of the web where strangers ask', () => {
    expect(webAllowances('intern.example')).toEqual(['intern.example:80', 'intern.example:443'])
    expect(webAllowances('fd00::1')).toEqual(['[fd00::1]:80', '[fd00::1]:443'])
    expect(webAllowances('10.0.0.0/8:8080')).toEqual(['10.0.0.0/8:8080'])
  })
})

/** `PLATFORM_HUB_SHELL_CONFIG`: a door that is not named stays shut, and nothing but loopback is taken by itself. */

import { describe, expect, it } from 'vitest'
import { shellConfig, type ShellConfig } from '../../src/config/services.ts'

describe('the shell configuration', () => {
  it.each<[unknown, ShellConfig]>([
    [{}, {}],
    [
      { telnet: {}, http: {} },
      { telnet: { host: '127.0.0.1', port: 5000 }, http: {} },
    ],
    [{ http: { port: 8085 } }, { http: { port: 8085 } }],
    [{ http: { port: '8085', host: '0.0.0.0' } }, { http: { port: 8085, host: '0.0.0.0' } }],
    [{ telnet: { host: '::1', port: 0 } }, { telnet: { host: '::1', port: 0 } }],
    [{ telnet: null, http: false }, {}],
    [{ http: true, history: 5 }, { http: {} }],
  ])('%j means %j', (given, meant) => {
    expect(shellConfig.parse(given)).toEqual(meant)
  })

  it.each<[unknown, RegExp]>([
    ['on', /must be an object with telnet or http/],
    [{ telnet: { port: 70_000 } }, /0\.\.65535/],
    [{ telnet: { host: 'a b' } }, /name of a host/],
    [{ http: [] }, /object of host and port/],
    [{ telent: {} }, /did you mean telnet\?/],
    [{ http: { prot: 1 } }, /did you mean port\?/],
  ])('%j is refused', (given, message) => {
    const result = shellConfig.safeParse(given)
    expect(result.error?.issues.map((issue) => issue.message).join()).toMatch(message)
  })
})

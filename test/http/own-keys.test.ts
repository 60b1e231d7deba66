/** The key that the process itself uses: one that may do what is to be done. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { may } from '../../src/http/api-key.ts'
import { keyId, knownKeys, ownKeys } from '../../src/http/known-keys.ts'
import { logger } from '../../src/log.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'own-keys-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const put = { method: 'PUT', path: '/catalogues/city/datasets/origin', catalogue: 'city' }
const known = (configured?: Readonly<Record<string, readonly string[]>>) =>
  knownKeys({ configured, directory, keyFailures: 20, log: logger('silent') })

describe('for our own repository', () => {
  it('is the first configured one that covers the catalogue', () => {
    const own = ownKeys({ limited: ['other'], steward: ['city'], admin: ['*'] }, 'inner')
    expect([own.here('other'), own.here('city'), own.here('lake'), own.here()]).toEqual([
      'limited',
      'steward',
      'admin',
      'admin',
    ])
    expect(ownKeys({ admin: ['*'], steward: ['city'] }, 'inner').here('city')).toBe('admin')
  })

  it('is one of its own where none does, which may write and is in no list of keys that is shown', async () => {
    const told: string[] = []
    const log = logger('info', { write: (line: string) => void told.push(line) })
    const configured = { limited: ['other'], starter: ['POST /pipes/*/runs'] }
    const { keys, own } = await knownKeys({ configured, directory, keyFailures: 20, log })
    const key = own.here('city')
    expect(Object.keys(configured)).not.toContain(key)
    expect(may(keys.check(key, ''), put)).toBe(true)
    expect(told.join('')).toContain(keyId('limited'))
    expect(told.join('')).not.toContain(keyId(key))
  })

  it('is the generated one where nothing is configured', async () => {
    const { keys, own } = await known()
    expect(may(keys.check(own.here('city'), ''), put)).toBe(true)
    expect(own.away('city')).toBe(own.here())
  })
})

describe('for a repository elsewhere', () => {
  it('is a configured one, and never what only this process knows', async () => {
    const { own } = await known({ limited: ['other'], steward: ['city'] })
    expect([own.away('city'), own.away('lake')]).toEqual(['steward', 'limited'])
  })
})

it('has the id under which the log lists it', async () => {
  const { keys } = await known({ limited: ['other'] })
  expect(keys.check('limited', '').id).toBe(keyId('limited'))
})

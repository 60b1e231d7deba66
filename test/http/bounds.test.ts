/** Failures, writes at once and the key file: small things with a bound each. */

import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wrongKeyCounter } from '../../src/http/api-key.ts'
import { keyFile } from '../../src/http/known-keys.ts'
import { writeLimiter } from '../../src/http/long-answers.ts'

const folder = () => mkdtemp(join(tmpdir(), 'cartulary-key-'))

describe('the table of failures', () => {
  it('forgets the oldest address when it is full', () => {
    const table = wrongKeyCounter({ perMinute: 1, now: () => 0, addresses: 3 })
    for (const address of ['a', 'b', 'c', 'd']) table.count(address)
    expect(
      ['a', 'b', 'c', 'd'].map((address) => table.secondsBlocked(address) !== undefined),
    ).toEqual([false, true, true, true])
  })

  it('starts anew when the minute is over', () => {
    let now = 0
    const table = wrongKeyCounter({ perMinute: 2, now: () => now })
    table.count('a')
    now = 59_000
    table.count('a')
    expect(table.secondsBlocked('a')).toBe(1)
    now = 60_000
    expect(table.secondsBlocked('a')).toBeUndefined()
    table.count('a')
    expect(table.secondsBlocked('a')).toBeUndefined()
  })
})

describe('the limit of writes', () => {
  it('refuses the third work of one key with 429, and no work of another', async () => {
    const limit = writeLimiter(2)
    const { signal } = new AbortController()
    const gate = Promise.withResolvers<string>()
    const running = [1, 2].map(() => limit.run('a', () => gate.promise, signal))
    await expect(limit.run('a', async () => 'x', signal)).rejects.toMatchObject({
      kind: 'too-many-requests',
      detail: 'at most 2 at once (limit writesPerKey); wait for one to finish',
      retryAfter: 1,
    })
    expect(await limit.run('b', async () => 'other', signal)).toBe('other')
    gate.resolve('done')
    expect(await Promise.all(running)).toEqual(['done', 'done'])
    expect(await limit.run('a', async () => 'again', signal)).toBe('again')
  })
})

describe('the key file', () => {
  it('is made once, readable by its owner only, with 256 random bits', async () => {
    const directory = join(await folder(), 'data')
    const made = await keyFile(directory)
    expect(made).toMatchObject({ created: true, path: join(directory, 'api-key') })
    expect(Buffer.from(made.key, 'base64url')).toHaveLength(32)
    expect((await stat(made.path)).mode & 0o777).toBe(0o600)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect(await keyFile(directory)).toEqual({ ...made, created: false })
  })

  it('is the same for two processes that start at once', async () => {
    const directory = await folder()
    const made = await Promise.all([keyFile(directory), keyFile(directory), keyFile(directory)])
    expect(new Set(made.map(({ key }) => key)).size).toBe(1)
    expect(made.filter(({ created }) => created)).toHaveLength(1)
  })

  it('that others could read is closed, and one that is empty or no such key is a problem', async () => {
    const directory = await folder()
    const path = join(directory, 'api-key')
    const key = 'k'.repeat(43)
    await writeFile(path, `${key}\n`, { mode: 0o644 })
    expect((await keyFile(directory)).key).toBe(key)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    await writeFile(path, '\n')
    await expect(keyFile(directory)).rejects.toThrow('empty')
    expect(await readFile(path, 'utf8')).toBe('\n')
    await writeFile(path, 'half a k')
    await expect(keyFile(directory)).rejects.toThrow('not the key that was made')
  })
})

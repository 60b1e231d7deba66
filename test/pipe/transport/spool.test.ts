import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spoolFactory } from '../../../src/pipe/transport/return-places.ts'

const place = () => mkdtempSync(join(tmpdir(), 'spool-'))

test('texts come out in the order in which they came, and leave nothing behind', async () => {
  const directory = place()
  const spool = spoolFactory({ directory, bytes: 1000 })()
  expect(spool.isEmpty).toBe(true)
  await Promise.all(['one', 'two', 'drei ü'].map((text) => spool.put(text)))
  const read: string[] = []
  for await (const text of spool) {
    read.push(text)
    // What the reader works on counts as waiting.
    expect(spool.isEmpty).toBe(false)
    if (read.length === 3) break
  }
  expect(read).toEqual(['one', 'two', 'drei ü'])
  await spool.close()
  expect(readdirSync(directory)).toEqual([])
})

test('all spools share one bound in bytes, which what was read gives back', async () => {
  const open = spoolFactory({ directory: place(), bytes: 10 })
  const [one, other] = [open(), open()]
  await one.put('123456')
  await expect(other.put('12345')).rejects.toThrow('spool-full')
  await other.put('1234')
  await other.close()
  await one.put('äö')
  await expect(one.put('1')).rejects.toThrow('spool-full')
  const reader = one[Symbol.asyncIterator]()
  expect([(await reader.next()).value, (await reader.next()).value]).toEqual(['123456', 'äö'])
  await one.put('1234567890')
  await one.close()
})

test('what cannot be written is an error for who brought it, and no gap for who reads', async () => {
  const directory = place()
  writeFileSync(join(directory, '1'), 'a file where the folder should be')
  const spool = spoolFactory({ directory, bytes: 100 })()
  await expect(spool.put('one')).rejects.toThrow('EEXIST')
  await expect(spool.put('one')).rejects.toThrow('EEXIST')
  const next = spool[Symbol.asyncIterator]().next()
  await spool.close()
  expect(await next).toMatchObject({ done: true })
})

test('a text is written once its folder can be made, whatever failed before', async () => {
  const directory = place()
  writeFileSync(join(directory, '1'), 'a file where the folder should be')
  const spool = spoolFactory({ directory, bytes: 100 })()
  await expect(spool.put('one')).rejects.toThrow('EEXIST')
  rmSync(join(directory, '1'))
  await spool.put('two')
  expect((await spool[Symbol.asyncIterator]().next()).value).toBe('two')
  await spool.close()
})

/** The files of a data directory, or the directory itself, go away and come back under a running process. */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { watchedFiles } from '../../src/main/data-files.ts'
import { refusingLost } from '../../src/main/lost-writes.ts'
import { openStorage, refuseLostPlace, type Storage } from '../../src/main/storage.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'

const { files, renewed } = watchedFiles([])
let place: string
let directory: string
let storage: Storage
let lines: string[]
let now: number
beforeEach(async () => {
  place = await temporaryDirectory()
  directory = join(place, 'data')
  for (const name of files) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), name)
  }
  lines = []
  now = 0
  const log = logger('info', { write: (line) => void lines.push(line) })
  storage = openStorage({ directory, files, renewed, log, now: () => now })
  storage.watch()
})
afterEach(() => remove(place))

const away = () => join(place, 'away')
const events = () => lines.map((line) => (JSON.parse(line) as { event: string }).event)
/** Whether writes are taken a second later. */
const takesWrites = (): boolean => {
  now += 1000
  try {
    storage.demand()
    return true
  } catch (error) {
    expect(error).toMatchObject({ kind: 'store-unavailable', retryAfter: 30 })
    return false
  }
}

it('answers to a POST that only reads, also at the addresses of CKAN clients', async () => {
  await rename(directory, away())
  now += 1000
  const status = async (base: string) => {
    const reader = refusingLost({ base, app: { fetch: () => new Response() } }, storage)
    return (await reader.app.fetch(new Request(`http://x${base}/a`, { method: 'POST' }))).status
  }
  for (const base of ['/api/hub/search', '/ckan', '/api/3/action', '/api/action', '/sparql'])
    expect([base, await status(base)]).toEqual([base, 200])
  expect(await status('/api/hub/repo')).toBe(503)
})

describe('without a file that was there', () => {
  it.each(files.filter((name) => !renewed.includes(name)))(
    '%s, nothing is written until it is back',
    async (name) => {
      expect(takesWrites()).toBe(true)
      await rename(join(directory, name), away())
      expect(takesWrites()).toBe(false)
      expect(lines.join('')).toContain(`${join(directory, name)} is gone`)
      await rename(away(), join(directory, name))
      expect(takesWrites()).toBe(true)
      expect(events()).toEqual(['storage.lost', 'storage.returned'])
    },
  )

  it.each(renewed)('%s, which is made anew at times, only the second look counts', async (name) => {
    await rename(join(directory, name), away())
    expect(takesWrites()).toBe(true)
    expect(takesWrites()).toBe(false)
    await writeFile(join(directory, name), 'anew')
    expect(takesWrites()).toBe(true)
  })

  it('another one in its place is not the one that is open', async () => {
    const path = join(directory, 'runs.sqlite')
    await rename(path, away())
    await writeFile(path, 'another')
    expect(takesWrites()).toBe(false)
    expect(lines.join('')).toContain('is not the one that this process has open')
  })

  it('the files are looked for once a second at most', async () => {
    expect(takesWrites()).toBe(true)
    await rename(join(directory, 'runs.sqlite'), away())
    now += 999
    storage.demand()
    expect(takesWrites()).toBe(false)
  })
})

describe('a directory', () => {
  it('that is moved away leaves a mark in its place, which a start refuses until it is meant', async () => {
    await rename(directory, away())
    expect(takesWrites()).toBe(false)
    expect(await readdir(directory)).toEqual(['cartulary.lost'])
    expect(() => refuseLostPlace(directory, false)).toThrow('--empty')
    refuseLostPlace(directory, true)
    expect(() => refuseLostPlace(directory, false)).not.toThrow()
  })

  it('that is moved away takes writes when it is back', async () => {
    await rename(directory, away())
    expect(takesWrites()).toBe(false)
    await rm(directory, { recursive: true })
    await rename(away(), directory)
    expect(takesWrites()).toBe(true)
  })

  it('of somebody else in its place stays as it is', async () => {
    await rename(directory, away())
    await mkdir(directory)
    await writeFile(join(directory, 'cartulary.json'), '{}')
    expect(takesWrites()).toBe(false)
    expect(await readdir(directory)).toEqual(['cartulary.json'])
    expect(await readFile(join(directory, 'cartulary.json'), 'utf8')).toBe('{}')
  })
})

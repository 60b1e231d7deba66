/** Tombstones as a file: durable, compressed, read in bounded pages, and silent about what is not settled. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DeletedContent, Tombstones } from '../../src/repository/deleting/tombstones.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'

let directory: string
let tombstones: Tombstones
const clock = { now: new Date('2026-11-21T10:00:00Z') }
const open = () => {
  tombstones = new Tombstones({ directory, days: 30, now: () => clock.now })
}
beforeEach(async () => {
  clock.now = new Date('2026-11-21T10:00:00Z')
  directory = await temporaryDirectory()
  open()
})
afterEach(async () => {
  tombstones.close()
  await remove(directory)
})

const text = (lines: number, seed = '') =>
  Array.from({ length: lines }, (_, n) => `<urn:s${seed}> <urn:p> "value ${n}" .\n`).join('')
const remains = (id: string, more: Partial<DeletedContent> = {}): DeletedContent => ({
  kind: 'dataset',
  id,
  catalogue: 'c',
  originalId: id.toUpperCase(),
  content: text(3),
  metrics: '',
  ...more,
})
const keep = (ids: readonly string[], more: Partial<DeletedContent> = {}) =>
  tombstones.write(
    ids.map((id) => remains(id, more)),
    clock.now,
  )
const listed = () => tombstones.list(undefined, { offset: 0, limit: 100 }).map(({ id }) => id)

describe('a tombstone', () => {
  it('is there after the file was closed, with everything that was kept', () => {
    const whole = remains('a', { metrics: '<urn:m> <urn:p> "ü" .\n', deletion: 17e14 })
    tombstones.write([whole], clock.now).end(['a'])
    tombstones.close()
    open()
    expect(tombstones.contentOf('dataset', 'a')).toMatchObject(whole)
    expect(tombstones.findByOriginalId('c', 'A')?.id).toBe('a')
    expect(tombstones.find('catalogue', 'a')).toBeUndefined()
  })

  it('takes the place of an earlier one of the same id', () => {
    keep(['a'], { content: 'old' }).end(['a'])
    keep(['a'], { content: 'new' }).end(['a'])
    expect([listed(), tombstones.contentOf('dataset', 'a')?.content]).toEqual([['a'], 'new'])
  })

  it('of which the removal is not known to have landed is not listed, and in doubt once nobody is at work', () => {
    const setUp = keep(['a', 'b'])
    expect([listed(), tombstones.unconfirmed(10)]).toEqual([[], []])
    setUp.end(['a'])
    expect(listed()).toEqual(['a'])
    expect(tombstones.unconfirmed(10).map(({ id }) => id)).toEqual(['b'])
  })

  it('of a catalogue that is being restored is not listed', () => {
    keep(['c'], { kind: 'catalogue' }).end(['c'])
    tombstones.setRestoring('c', true)
    expect([listed(), tombstones.restoring()]).toEqual([[], ['c']])
    tombstones.setRestoring('c', false)
    expect([listed(), tombstones.restoring()]).toEqual([['c'], []])
  })

  it('of a catalogue that is being restored, and of its members, does not expire', () => {
    keep(['k'], { kind: 'catalogue', catalogue: 'k', deletion: 1 }).end(['k'])
    keep(['a'], { deletion: 1 }).end(['a'])
    keep(['b'], { deletion: 2 }).end(['b'])
    tombstones.setRestoring('k', true)
    clock.now = new Date('2027-01-01T00:00:00Z')
    expect([tombstones.purge(10), tombstones.hasExpired()]).toEqual([1, false])
    expect(tombstones.contentOf('catalogue', 'k')?.deletion).toBe(1)
    expect(tombstones.membersOf({ deletion: 1, serial: 0 }).map(({ id }) => id)).toEqual(['a'])
    expect([tombstones.memberCount(1), tombstones.findByOriginalId('c', 'A')?.id]).toEqual([1, 'a'])
    tombstones.setRestoring('k', false)
    expect([tombstones.find('catalogue', 'k'), tombstones.purge(10)]).toEqual([undefined, 2])
  })

  it('of a catalogue that is being restored is in no doubt', () => {
    keep(['k'], { kind: 'catalogue', catalogue: 'k', deletion: 1 }).end([])
    tombstones.setRestoring('k', true)
    expect(tombstones.unconfirmed(10)).toEqual([])
  })

  it('of a process that died is in doubt', () => {
    keep(['a'])
    tombstones.close()
    open()
    expect(tombstones.unconfirmed(10).map(({ id }) => id)).toEqual(['a'])
  })

  it('lives for the window to the second, and is purged after it', () => {
    keep(['a']).end(['a'])
    clock.now = new Date('2026-12-21T09:59:59Z')
    expect([tombstones.purge(10), tombstones.find('dataset', 'a')?.id]).toEqual([0, 'a'])
    clock.now = new Date('2026-12-21T10:00:00Z')
    expect([tombstones.find('dataset', 'a'), listed()]).toEqual([undefined, []])
    expect([tombstones.purge(10), tombstones.purge(10)]).toEqual([1, 0])
  })
})

describe('the file', () => {
  it('holds texts compressed and is readable by its owner alone', () => {
    const content = text(20_000)
    tombstones.write([remains('a', { content })], clock.now).end(['a'])
    tombstones.close()
    const { size, mode } = statSync(join(directory, 'tombstones.db'))
    expect(size).toBeLessThan(content.length / 3)
    expect(mode & 0o777).toBe(0o600)
    open()
  })

  it('is purged bit by bit', () => {
    const ids = Array.from({ length: 25 }, (_, n) => `d${n}`)
    keep(ids).end(ids)
    clock.now = new Date('2027-01-01T00:00:00Z')
    expect([1, 2, 3, 4].map(() => tombstones.purge(10))).toEqual([10, 10, 5, 0])
  })
})

describe('what went with a catalogue', () => {
  const all = (deletion: number) => {
    const found: string[][] = []
    let serial = 0
    for (;;) {
      const page = tombstones.membersOf({ deletion, serial })
      const last = page.at(-1)
      if (!last) return found
      found.push(page.map(({ id }) => id))
      serial = last.serial
    }
  }

  it('is told page by page, each once, and nothing of other deletions', () => {
    const ids = Array.from({ length: 250 }, (_, n) => `d${n}`)
    keep(ids, { deletion: 1 }).end(ids)
    keep(['other'], { deletion: 2 }).end(['other'])
    keep(['alone']).end(['alone'])
    const pages = all(1)
    expect(pages.flat()).toEqual(ids)
    expect(pages.map((page) => page.length)).toEqual([100, 100, 50])
    expect([tombstones.memberCount(1), tombstones.memberCount(2)]).toEqual([250, 1])
  })

  it('is told also where the removal is not known to have landed', () => {
    keep(['a', 'b'], { deletion: 1 }).end(['a'])
    expect([all(1), tombstones.memberCount(1)]).toEqual([[['a', 'b']], 2])
  })

  it('is told in smaller pages when it is large', () => {
    const noise = Array.from({ length: 300_000 }, (_, n) => ((n * 7919) % 99_991).toString(36))
    const ids = ['a', 'b', 'c', 'd']
    keep(ids, { deletion: 1, content: noise.join(' ') }).end(ids)
    expect(all(1).map((page) => page.length)).toEqual([2, 2])
  })
})

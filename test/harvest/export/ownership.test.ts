/** Which record is meant, and whose it is. */

import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import type { InvalidFile } from '../../../src/pipe/sources/pipe-files.ts'
import {
  complete,
  dataset,
  harvestFixture,
  pipeOf,
  record,
  whole,
  type HarvestFixtureOptions,
  type Source,
} from './harvest-fixture.ts'

const owned = { type: 'urn:cartulary:problem:item-owned-elsewhere' }
const listed =
  (...messages: readonly Message[]): Source =>
  () => [...messages, complete()]

async function two(setting: HarvestFixtureOptions = {}) {
  const fixture = await harvestFixture(setting)
  fixture.pipes.set('a', pipeOf('a'))
  fixture.pipes.set('b', pipeOf('b'))
  return fixture
}

describe('two pipes in one catalogue', () => {
  it('remove only their own', async () => {
    const fixture = await two()
    fixture.offers(whole('a1', 'a2'), 'a')
    fixture.offers(whole('b1', 'b2'), 'b')
    await fixture.run('a')
    await fixture.run('b')
    fixture.offers(whole('b1'), 'b')
    expect((await fixture.run('b')).counts).toMatchObject({ removed: 1, unchanged: 1 })
    expect((await fixture.run('a')).counts).toMatchObject({ removed: 0, unchanged: 2 })
    expect(await fixture.ids()).toEqual(['a1', 'a2', 'b1'])
  })

  it('do not write over each other: the record stays as its owner wrote it', async () => {
    const fixture = await two()
    fixture.offers(whole('x', 'a'), 'a')
    await fixture.run('a')
    fixture.offers(listed(record('x', 'by b'), record('b')), 'b')
    const run = await fixture.run('b')
    expect(run.counts).toMatchObject({ created: 1, refused: 1, failed: 0 })
    const [item] = fixture.items(run, 'refused')
    expect(item).toMatchObject({ sourceId: 'x', problem: owned })
    expect(item?.problem?.detail).toContain('pipe a ')
    expect(await fixture.text('x')).not.toContain('by b')
    fixture.offers(whole('b'), 'b')
    await fixture.run('b')
    expect(await fixture.ids()).toEqual(['a', 'b', 'x'])
  })

  it('tell what was found in a record also when they do not write it', async () => {
    const fixture = await two()
    fixture.offers(whole('x'), 'a')
    await fixture.run('a')
    const findings = [{ slug: 'invalid-date', detail: 'dct:issued: yesterday' }] as const
    const broken = record('y', 'y', { text: '<urn:x> <urn:y>', findings })
    fixture.offers(listed(record('x', 'by b', { findings }), broken, record('z')), 'b')
    const run = await fixture.run('b')
    expect(run.counts).toMatchObject({ refused: 1, failed: 1, created: 1, findings: 2 })
    const { examples = [] } = fixture.runs.report(run.id).findings['invalid-date'] ?? {}
    expect(new Set(examples.map(({ id }) => id))).toEqual(new Set(['x', 'y']))
  })

  it('the run that meets nothing but records of others says so, and is not complete', async () => {
    const fixture = await two()
    fixture.offers(whole('x', 'y'), 'a')
    await fixture.run('a')
    fixture.offers(whole('x', 'y'), 'b')
    const run = await fixture.run('b')
    expect(run).toMatchObject({
      status: 'finished',
      outcome: 'incomplete',
      problem: { type: 'urn:cartulary:problem:all-refused' },
      counts: { refused: 2 },
    })
    expect(run.problem?.detail).toContain('all 2 records')
    expect(run.problem?.detail).toContain('pipe a ')
    fixture.offers(whole('x', 'y', 'z'), 'b')
    expect(await fixture.run('b')).toMatchObject({ outcome: 'complete', problem: null })
  })

  it('do not meet on a new record when they run at the same time', async () => {
    const fixture = await two()
    const ids = Array.from({ length: 150 }, (_, n) => `x${n}`)
    fixture.offers(listed(...ids.map((id) => record(id, `${id} by a`))), 'a')
    fixture.offers(listed(...ids.map((id) => record(id, `${id} by b`))), 'b')
    const [a, b] = await Promise.all([fixture.run('a'), fixture.run('b')])
    expect(a.counts.created + b.counts.created).toBe(150)
    expect(a.counts.refused + b.counts.refused).toBe(150)
    const rows = await Promise.all(ids.slice(0, 20).map((id) => fixture.text(id)))
    const again = await fixture.run('a')
    expect(again.counts.unchanged).toBe(a.counts.created)
    expect(rows.every((text) => /by [ab]"/.test(text))).toBe(true)
  })

  it('one takes over when the other is deleted, and says so', async () => {
    const fixture = await two()
    fixture.offers(whole('x'), 'a')
    await fixture.run('a')
    fixture.pipes.delete('a')
    fixture.offers(listed(record('x', 'by b')), 'b')
    const run = await fixture.run('b')
    expect(fixture.items(run, 'updated')).toMatchObject([
      { originalId: 'x', note: 'taken over from the pipe a' },
    ])
    fixture.offers(whole(), 'b')
    expect((await fixture.run('b')).counts).toMatchObject({ held: 1 })
  })

  it('one says so of records that stay as they were', async () => {
    const fixture = await two()
    fixture.offers(whole('x'), 'a')
    await fixture.run('a')
    fixture.pipes.delete('a')
    fixture.offers(whole('x'), 'b')
    const run = await fixture.run('b')
    expect(fixture.items(run)).toMatchObject([
      { originalId: 'x', note: 'taken over from the pipe a, as it was' },
    ])
    expect((await fixture.run('b')).counts).toMatchObject({ unchanged: 1, updated: 0 })
  })

  it.each([
    ['the file of the other', 'pipes', 'a.yaml', false],
    ['a file that never was the other', 'pipes', 'c.yaml', true],
    ['a file of that name elsewhere', 'git:far', 'a.yaml', true],
    ['all of the source of the other', 'pipes', '', false],
    ['all of another source', 'git:far', '', true],
  ])('%s cannot be read', async (_, source, file, isTaken) => {
    const invalid: InvalidFile[] = []
    const fixture = await two({ invalid })
    fixture.offers(whole('x'), 'a')
    await fixture.run('a')
    fixture.pipes.delete('a')
    invalid.push({ source, file, problems: [{ detail: 'is no YAML' }] })
    fixture.offers(whole('x'), 'b')
    expect((await fixture.run('b')).counts).toMatchObject({
      refused: isTaken ? 0 : 1,
      updated: isTaken ? 1 : 0,
    })
  })

  it('one takes over when the other has not had a complete run for ninety days', async () => {
    const fixture = await two()
    fixture.offers(whole('x'), 'a')
    await fixture.run('a')
    fixture.offers(listed(record('x', 'by b')), 'b')
    fixture.place.at += 89 * 86_400_000
    expect((await fixture.run('b')).counts).toMatchObject({ refused: 1 })
    fixture.offers(() => [{ kind: 'end', completeness: { kind: 'not-modified' } }], 'a')
    await fixture.run('a')
    fixture.place.at += 89 * 86_400_000
    expect((await fixture.run('b')).counts).toMatchObject({ refused: 1 })
    fixture.place.at += 2 * 86_400_000
    expect((await fixture.run('b')).counts).toMatchObject({ updated: 1 })
  })
})

describe('the id of a record', () => {
  it('stays when the source renames its slug', async () => {
    const fixture = await harvestFixture()
    await fixture.hub.putDataset('city', 'old-slug', dataset('1', 'one'))
    fixture.offers(listed(record('uuid-1', 'one', { aliases: ['old-slug'] })))
    const first = await fixture.run()
    expect(first.counts).toMatchObject({ adopted: 1, created: 0 })
    fixture.offers(listed(record('uuid-1', 'renamed', { aliases: ['new-slug'] })))
    const second = await fixture.run()
    expect(fixture.items(second, 'updated')).toMatchObject([
      { sourceId: 'uuid-1', originalId: 'old-slug', platformId: 'old-slug' },
    ])
    expect(await fixture.ids()).toEqual(['old-slug'])
  })

  it('is the stable one of the source when the catalogue knows none', async () => {
    const fixture = await harvestFixture()
    fixture.offers(listed(record('uuid-1', 'one', { aliases: ['slug'] })))
    await fixture.run()
    expect(await fixture.ids()).toEqual(['uuid-1'])
  })

  it('is not taken from another record of the same source', async () => {
    const fixture = await harvestFixture()
    fixture.offers(listed(record('1', 'one'), record('2', 'two', { aliases: ['1'] })))
    await fixture.run()
    await fixture.run()
    expect(await fixture.ids()).toEqual(['1', '2'])
    await fixture.hub.putDataset('city', 'slug', dataset('3', 'three'))
    const both = [record('3', 'three', { aliases: ['slug'] }), record('slug', 'four')]
    fixture.offers(listed(record('1', 'one'), record('2', 'two'), ...both))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ duplicate: 1, adopted: 1, removed: 0 })
    expect(await fixture.ids()).toEqual(['1', '2', 'slug'])
  })
})

describe('a record under the id of another one', () => {
  it('waits for that one after a cursor as well, however long those before it were', async () => {
    const fixture = await harvestFixture()
    fixture.offers(listed(record('urn:old-1', 'one'), record('urn:old-2', 'two')))
    await fixture.run()
    const text = 'x'.repeat(33_000_000)
    fixture.offers(
      listed(
        record('urn:new-1', 'one', { aliases: ['urn:old-1'], text }),
        { kind: 'page', cursor: '1' },
        record('urn:new-2', 'new', { aliases: ['urn:old-2'] }),
        record('urn:old-2', 'two'),
      ),
    )
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ unchanged: 2, created: 1, failed: 0, duplicate: 0 })
    expect(await fixture.ids()).toEqual(['urn:new-2', 'urn:old-1', 'urn:old-2'])
  })
})

describe('records that no pipe owns', () => {
  it('are adopted when the source offers them, and otherwise left alone', async () => {
    const fixture = await harvestFixture()
    await fixture.hub.putDataset('city', 'mine', dataset('mine', 'by hand'))
    await fixture.hub.putDataset('city', 'theirs', dataset('theirs', 'theirs'))
    fixture.offers(whole('theirs', 'new'))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ created: 1, adopted: 1, removed: 0 })
    fixture.offers(whole('new'))
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
    expect(await fixture.ids()).toEqual(['mine', 'new'])
  })

  it('go with the pipe that is told to adopt them', async () => {
    const fixture = await harvestFixture()
    await fixture.hub.putDataset('city', 'left', dataset('left', 'by hand'))
    fixture.pipes.set('p', pipeOf('p', {}, { adoptUnowned: true }))
    fixture.offers(whole('new'))
    expect((await fixture.run()).counts).toMatchObject({ created: 1, adopted: 1, removed: 1 })
    expect(await fixture.ids()).toEqual(['new'])
  })

  it('are never removed when the ledger is lost', async () => {
    const fixture = await harvestFixture()
    fixture.offers(whole('a', 'b'))
    await fixture.run()
    await fixture.restart(() => {
      for (const end of ['', '-wal', '-shm'])
        rmSync(`${fixture.directory}/harvest.sqlite${end}`, { force: true })
    })
    fixture.offers(whole('a'))
    expect((await fixture.run()).counts).toMatchObject({ adopted: 1, removed: 0 })
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })

  it('become the rows of a renamed pipe by adopt', async () => {
    const fixture = await two()
    fixture.offers(whole('x', 'y'), 'a')
    await fixture.run('a')
    expect(await fixture.harvest().adopt('b', 'a')).toBe(2)
    await expect(fixture.harvest().adopt('b', 'b')).rejects.toThrow('conflict')
    fixture.offers(whole('x'), 'b')
    expect((await fixture.run('b')).counts).toMatchObject({ unchanged: 1, removed: 1, refused: 0 })
  })
})

describe('a change of the way', () => {
  it('writes every record again when a transformer changes, and only then', async () => {
    let script = 'one'
    const fixture = await harvestFixture({
      kinds: [
        {
          names: ['transforming-test'],
          job: 'transform',
          schema: () => ({}),
          open: () => ({ ok: true, run: (input) => input }),
        },
      ],
    })
    const through = (config: string) => {
      const pipe = pipeOf('p')
      const [first, last] = pipe.body.segments
      if (!first || !last) throw new Error('a pipe has two segments')
      const header = { name: 'transforming-test', segmentNumber: 2, processed: false }
      const segments = [first, { header, body: { config: { script: config } } }, last]
      fixture.pipes.set('p', { ...pipe, body: { segments } })
    }
    fixture.offers(whole('a', 'b'))
    through(script)
    await fixture.run()
    expect((await fixture.run()).counts).toMatchObject({ unchanged: 2 })
    script = 'two'
    through(script)
    fixture.requests.length = 0
    const run = await fixture.run()
    expect(fixture.requests.some(({ path }) => path.includes('/bulk'))).toBe(true)
    expect(run.counts).toMatchObject({ unchanged: 2 })
    fixture.requests.length = 0
    await fixture.run()
    expect(fixture.requests.some(({ path }) => path.includes('/bulk'))).toBe(false)
  })
})

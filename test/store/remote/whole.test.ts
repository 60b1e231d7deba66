/** A read is complete or an error, and a store that is not there yet is waited for. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { logger, type Log } from '../../../src/log.ts'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import type { Dialect, StoreEndpoint } from '../../../src/store/remote/dialect.ts'
import { linkRule, readContent, type GraphReading } from '../../../src/store/remote/reading.ts'
import { noteOf, notesOf } from '../../../src/store/remote/spelling-notes.ts'
import { retryUntilAvailable } from '../../../src/store/remote/starting.ts'
import { CredentialsError } from '../../../src/client/authentication.ts'
import { content, graphName, isCatalogue, linesOf, record, system } from '../graphs.ts'
import { openEmbedded } from '../opening.ts'

const rows = 100

describe('reading from a store that cuts answers without a word', () => {
  let store: GraphStore
  beforeAll(async () => {
    store = await openEmbedded()
  })
  afterAll(() => store.close())

  const reading = (changed: () => Promise<unknown> = () => Promise.resolve()): GraphReading => {
    const endpoint: Pick<StoreEndpoint, 'construct' | 'select' | 'pause'> = {
      construct: async (query) => {
        await changed()
        return (await store.construct(query)).split('\n').slice(0, rows).join('\n')
      },
      select: (query) => store.select(query),
      pause: () => Promise.resolve(),
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- reading opens the endpoint no further
    return {
      dialect: fuseki,
      endpoint: endpoint as StoreEndpoint,
      isLink: linkRule(isCatalogue),
      rows,
    }
  }

  it.each([99, 100, 101, 470])('gives all %i lines of a graph', async (size) => {
    const graph = graphName()
    await store.write([{ graph, content: record(size) }])
    const { lines } = await readContent({ graph, links: true }, reading())
    expect([...lines].sort()).toEqual(linesOf(record(size)))
  })

  it('gives up on a graph that changes all the time', async () => {
    const graph = graphName()
    let size = 300
    const grow = () => store.write([{ graph, content: record((size += 1)) }])
    await grow()
    await expect(readContent({ graph, links: true }, reading(grow))).rejects.toMatchObject({
      kind: 'store-unavailable',
    })
  })
})

describe('a graph that is written in several steps', () => {
  const graph = graphName()
  const sign = `<${graph}> <urn:cartulary:control#writing> <urn:cartulary:staging:1> .`
  const staged: Dialect = { ...fuseki, usesStaging: true }
  /** Answers with the sign as long as `left` says. */
  const reading = (left: { times: number }, finish?: GraphReading['finish']): GraphReading => {
    const endpoint: Pick<StoreEndpoint, 'construct' | 'pause'> = {
      construct: () => Promise.resolve(`${record(3)}${left.times-- > 0 ? `${sign}\n` : ''}`),
      pause: () => Promise.resolve(),
    }
    return {
      dialect: staged,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- reading opens the endpoint no further
      endpoint: endpoint as StoreEndpoint,
      isLink: linkRule(isCatalogue),
      rows: undefined,
      ...(finish && { finish }),
    }
  }

  it('is waited for by readers, and given up after a while', async () => {
    const { lines } = await readContent({ graph, links: true }, reading({ times: 7 }))
    expect(lines.size).toBe(3)
    const never = readContent({ graph, links: true }, reading({ times: 10_000 }))
    await expect(never).rejects.toMatchObject({ kind: 'store-unavailable' })
  })

  it('is finished by its next writer', async () => {
    const left = { times: 10_000 }
    const finished: string[] = []
    const finish = (name: string) => {
      left.times = 0
      return Promise.resolve(finished.push(name))
    }
    await readContent({ graph, links: false }, reading(left, finish))
    expect(finished).toEqual([graph])
  })

  it('says so in its own graph only: the system graph can always be read', async () => {
    const { lines } = await readContent({ graph: system, links: true }, reading({ times: 10_000 }))
    expect(lines.size).toBe(4)
  })
})

describe('a graph in a store that shows parts of the commits of another process', () => {
  const graph = graphName()
  const dialect: Dialect = { ...fuseki, showsPartialCommits: true }
  const [before, after] = ['1', '2'].map((version) => linesOf(record(20, version)))
  const kept = before?.filter((line) => after?.includes(line)) ?? []
  const withNotes = (lines: readonly string[] = []) => [
    ...lines,
    ...[...notesOf(new Set(lines), dialect)].map((note) => noteOf(graph, note)),
  ]
  /** Gives one answer after the other, then the last one again. */
  const read = async (answers: readonly (readonly string[])[]) => {
    const left = [...answers]
    const endpoint: Pick<StoreEndpoint, 'construct' | 'pause'> = {
      construct: () => Promise.resolve(content((left.length > 1 ? left.shift() : left[0]) ?? [])),
      pause: () => Promise.resolve(),
    }
    const { lines } = await readContent(
      { graph, links: true },
      {
        dialect,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- reading opens the endpoint no further
        endpoint: endpoint as StoreEndpoint,
        isLink: linkRule(isCatalogue),
        rows: undefined,
        isChecked: true,
      },
    )
    return [...lines].sort()
  }

  it.each([
    ['of a commit that changes it', kept],
    ['of a commit that removes it', withNotes(before).slice(3)],
    ['beside its old digest', [...kept, ...withNotes(before).slice(-1)]],
    ['that is empty', []],
  ])('is never read as a part %s, seen twice', async (_, part) => {
    expect(await read([part, part, withNotes(after)])).toEqual(after)
  })

  it('is read at once when it fits its digest', async () => {
    expect(await read([withNotes(before), withNotes(after)])).toEqual(before)
  })

  it.each([
    ['without a digest', before ?? []],
    ['with the digest of what was there', [...kept, ...withNotes(before).slice(-1)]],
  ])('is read as it is when another program left it %s', async (_, lines) => {
    const wanted = lines.filter((line) => !line.includes('#spelling>'))
    expect(await read([lines])).toEqual(wanted.toSorted())
  })

  it('is refused while it changes all the time', async () => {
    const changing = Array.from({ length: 60 }, (_, n) => linesOf(record(5, `part ${n}`)))
    await expect(read(changing)).rejects.toMatchObject({ kind: 'store-unavailable' })
  })
})

describe('the start', () => {
  const waiting = (log: Log = logger('silent')) => {
    const pauses: number[] = []
    const pause = (ms: number) => Promise.resolve(void pauses.push(ms))
    return { pauses, how: { log, pause, now: () => 0, signal: undefined } }
  }
  const away = new Failure('store-unavailable', 'The store cannot be reached.')

  it('tries again with growing pauses, a line of progress for each', async () => {
    const told: string[] = []
    const log = logger('info', { write: (line: string) => void told.push(line) })
    const { pauses, how } = waiting(log)
    let left = 8
    const work = () => (left-- > 0 ? Promise.reject(away) : Promise.resolve('there'))
    expect(await retryUntilAvailable(work, how)).toBe('there')
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
    expect(told.filter((line) => line.includes('store.waiting'))).toHaveLength(8)
  })

  it('does not wait for what waiting does not mend', async () => {
    const { pauses, how } = waiting()
    const answer = { status: 401, headers: {}, text: '' }
    const cause = new CredentialsError('the credentials are refused', answer)
    for (const error of [
      new Failure('store-unavailable', 'The store refuses the configured credentials.', { cause }),
      new Failure('malformed-query', 'The store answered with 400.'),
    ]) {
      await expect(retryUntilAvailable(() => Promise.reject(error), how)).rejects.toBe(error)
    }
    expect(pauses).toEqual([])
  })
})

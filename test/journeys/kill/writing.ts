/** Writers that change records at random, alone and in bulk, and readers that look on, until the platform is gone. */

import { client, type Gateway } from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'
import { between, type Random } from './seeded-random.ts'
import { absent, type History, type Sent } from './history.ts'
import { body, contentIn, marksIn, statements, tally } from './records.ts'

export type World = {
  readonly random: Random
  readonly history: History
  readonly ids: readonly string[]
  readonly tallies: readonly string[]
  /** Marks per tally: those that may be there, and those that must. */
  readonly marks: Map<string, { readonly sent: Set<string>; readonly acknowledged: Set<string> }>
  /** Grows with every write, and names it. */
  version: number
  readonly counts: {
    writes: number
    acknowledged: number
    unsure: number
    refused: number
    reads: number
  }
  /** Answers that should not have been, and half graphs that a reader saw. */
  readonly faults: string[]
}

const one = <T>(random: Random, values: readonly T[]): T =>
  values[between(random, 0, values.length - 1)] as T

/** Refusals that a writer among others must expect. */
const expected = new Set([404, 410, 412])

function settle(world: World, what: string, status: number, sent: Sent): void {
  const { counts, faults } = world
  if (status < 300 || status === 304) {
    counts.acknowledged += 1
    return sent.acknowledged()
  }
  if (status === 503) {
    counts.unsure += 1
    return sent.unsure()
  }
  counts.refused += 1
  sent.refused()
  if (!expected.has(status)) faults.push(`${what}: ${status}`)
}

export type Writers = {
  /** Whether any still writes: they all stop when the platform answers no more. */
  readonly isWriting: () => boolean
  readonly ended: Promise<unknown>
}

/** Writes in so many lanes, two readers beside them, until the platform is gone. */
export function writers(world: World, platform: Gateway, lanes: number): Writers {
  const { process: child } = platform
  const isGone = () => child.killed || child.exitCode !== null || child.signalCode !== null
  const turn = async (work: () => Promise<void>) => {
    while (!isGone()) {
      try {
        await work()
      } catch (error) {
        // Nobody knows what became of the write. That is as it should be only when we have killed the process.
        if (!isGone())
          world.faults.push(`no answer: ${String(error)} ${String((error as Error).cause)}`)
        else if (!child.killed) world.faults.push(`the platform ended by itself: ${platform.log()}`)
      }
    }
  }
  const act = actions(world, platform)
  const write = () => {
    const draw = world.random()
    if (draw < 0.55) return act.put()
    if (draw < 0.7) return act.remove()
    return draw < 0.8 ? act.bulk() : act.count()
  }
  const work = [...Array.from({ length: lanes }, () => turn(write)), turn(act.read), turn(act.read)]
  return { isWriting: () => !isGone(), ended: Promise.all(work) }
}

function actions(world: World, platform: Gateway) {
  const { random, history, ids, counts, faults } = world
  const api = client(platform)
  const remove = async () => {
    const id = one(random, ids)
    counts.writes += 1
    const sent = history.send(id, absent)
    const answer = await fetch(`${api.repo}/datasets/${id}`, {
      method: 'DELETE',
      headers: { 'X-API-Key': platform.key, ...impatience(random) },
    })
    await answer.text()
    settle(world, `DELETE ${id}`, answer.status, sent)
  }
  const put = async () => {
    const id = one(random, ids)
    const version = (world.version += 1)
    counts.writes += 1
    const sent = history.send(id, String(version))
    const answer = await api.putDataset('c', id, body(id, version), impatience(random))
    const text = await answer.text()
    settle(world, `PUT ${id} ${text}`, answer.status, sent)
  }
  const bulk = async () => {
    const chosen = [
      ...new Set(Array.from({ length: between(random, 2, 12) }, () => one(random, ids))),
    ]
    const parcel = chosen.map((id) => ({ id, version: (world.version += 1) }))
    counts.writes += parcel.length
    const sent = new Map(parcel.map(({ id, version }) => [id, history.send(id, String(version))]))
    const answer = await api.put('/catalogues/c/datasets/bulk', bulkBody(parcel))
    const text = await answer.text()
    const items = answer.status === 200 ? (JSON.parse(text) as Item[]) : []
    const statuses = new Map(items.map(({ originalId, status }) => [originalId, status]))
    const others = answer.status === 200 ? 500 : answer.status
    for (const [id, mine] of sent)
      settle(world, `bulk ${id} ${text}`, statuses.get(id) ?? others, mine)
  }
  const count = async () => {
    const id = one(random, world.tallies)
    const found = await fetch(`${api.repo}/datasets/${id}.nt`)
    const there = marksIn(await found.text())
    if (found.status !== 200) return
    const mark = String((world.version += 1))
    const marks = world.marks.get(id)
    marks?.sent.add(mark)
    counts.writes += 1
    const headers = { 'If-Match': found.headers.get('ETag') ?? '', Prefer: 'respond-async' }
    const answer = await api.putDataset('c', id, tally(id, [...there, mark]), headers)
    await answer.text()
    settle(world, `PUT ${id}`, answer.status, {
      acknowledged: () => marks?.acknowledged.add(mark),
      unsure: () => undefined,
      refused: () => marks?.sent.delete(mark),
    })
  }
  const read = async () => {
    const id = one(random, ids)
    counts.reads += 1
    const content = await contentIn(await fetch(`${api.repo}/datasets/${id}.nt`))
    if (content !== undefined && content !== absent && !/^\d+$/.test(content))
      faults.push(`a reader saw ${id} with ${content}`)
  }
  return { put, remove, bulk, count, read }
}

type Item = { readonly originalId: string; readonly status: number }

/** Half of the writers wait until their record is searchable. */
const impatience = (random: Random): Record<string, string> =>
  random() < 0.5 ? { Prefer: 'respond-async' } : {}

const bulkBody = (parcel: readonly { id: string; version: number }[]) =>
  prefixes + parcel.map(({ id, version }) => statements(`<urn:kill:${id}>`, id, version)).join('\n')

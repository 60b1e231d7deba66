/** What must hold once the platform is back and quiet: nothing lost, nothing half, links and index like the store. */

import { client, eventually, type Gateway } from '../../support/gateway.ts'
import { queryValues } from './query-values.ts'
import { absent } from './history.ts'
import { contentIn, marksIn, versionsIn } from './records.ts'
import type { World } from './writing.ts'

const base = 'http://localhost:8080/'

/** Resolves when the index has everything that the store has. */
export const quiet = ({ url }: Gateway): Promise<boolean> =>
  eventually(async () => {
    const answer = await fetch(`${url}/health`)
    const { pending } = (await answer.json()) as { pending?: number }
    return answer.ok && pending === 0
  }, 120_000)

/** Sentences about every record that is not what it may be; empty when all is well. */
export async function wrongs(world: World, platform: Gateway): Promise<string[]> {
  const { history, ids } = world
  const api = client(platform)
  const wrong: string[] = []
  const stored = new Map<string, string>()
  await each(ids, async (id) => {
    const content = await contentIn(await fetch(`${api.repo}/datasets/${id}.nt`))
    const possible = history.possible(id)
    if (content === undefined || !possible.includes(content)) {
      wrong.push(`${id}: ${content ?? 'no answer'}; it may be ${possible.join(' or ')}`)
    }
    if (content === undefined) return
    history.found(id, content)
    if (content !== absent) stored.set(id, content)
  })
  const there = [...stored.keys(), ...world.tallies].toSorted()
  return [
    ...wrong,
    ...(await lostMarks(world, platform)),
    ...unlike('linked by the catalogue', there, await linked(platform)),
    ...unlike('indexed', there, await api.json<string[]>(`${api.search}/datasets?catalogue=c`)),
    ...(await stale(platform, stored)),
  ]
}

async function lostMarks({ marks }: World, platform: Gateway): Promise<string[]> {
  const { repo } = client(platform)
  const wrong: string[] = []
  for (const [id, { sent, acknowledged }] of marks) {
    const there = new Set(marksIn(await (await fetch(`${repo}/datasets/${id}.nt`)).text()))
    const lost = acknowledged.difference(there)
    const foreign = there.difference(sent)
    if (lost.size > 0) wrong.push(`${id}: lost ${[...lost].join(', ')}`)
    if (foreign.size > 0) wrong.push(`${id}: ${[...foreign].join(', ')} came from nowhere`)
  }
  return wrong
}

/** Ids of the datasets that the graph of the catalogue names. */
async function linked(platform: Gateway): Promise<string[]> {
  const catalogue = `<${base}id/catalogue/c>`
  const query = `SELECT ?d { GRAPH ${catalogue} { ${catalogue} <http://www.w3.org/ns/dcat#dataset> ?d } }`
  return (await queryValues(platform, query)).map((iri) => iri.replace(`${base}set/data/`, ''))
}

function unlike(how: string, wanted: readonly string[], found: readonly string[]): string[] {
  const [there, named] = [new Set(wanted), new Set(found)]
  const missing = [...there.difference(named)].map((id) => `${id} is not ${how}`)
  const over = [...named.difference(there)].map((id) => `${id} is ${how} and not stored`)
  const twice = found.length > named.size ? [`something is twice ${how}`] : []
  return [...missing, ...over, ...twice]
}

/** Records whose document in the index is of another version. */
async function stale(platform: Gateway, stored: ReadonlyMap<string, string>): Promise<string[]> {
  const api = client(platform)
  const wrong: string[] = []
  await each([...stored], async ([id, version]) => {
    const answer = await fetch(`${api.search}/datasets/${id}`)
    const shown = versionsIn(await answer.text())
    if (shown.join() !== version)
      wrong.push(`${id}: ${version} is stored, ${shown.join()} is shown`)
  })
  return wrong
}

/** Eight at a time. */
async function each<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const rest = [...values]
  const lane = async () => {
    for (let value = rest.pop(); value !== undefined; value = rest.pop()) await work(value)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

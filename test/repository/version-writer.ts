/**
 * Child process of `versions-killed.long.test.ts`: says what is wrong with the versions that an earlier process left, then writes
 * without end and says what was acknowledged.
 */

import { prefixes, repository } from '../support/repository.ts'
import { seededRandom } from '../journeys/kill/seeded-random.ts'

const [directory = '', seed = '1', last = '0'] = process.argv.slice(2)
const records = 8
/** Versions that are read back from the newest one: two checkpoints and more. */
const readBack = 45

const repo = await repository({ directory, limits: { writesPerKey: 1_000_000 } })
const random = seededRandom(Number(seed))
const key = { 'X-API-Key': 'a-key-for-everything' }
const lines = { headers: { ...key, Accept: 'application/n-triples' } }
const json = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await (await repo.ask(path, { headers: key })).text())
const numberIn = (text: string) => Number(/"Title (\d+)"/.exec(text)?.[1] ?? Number.NaN)

/** Faults of the versions of a record: the newest is what the store has, and each older one was written before. */
async function faultsOf(id: string): Promise<string[]> {
  const path = `/datasets/${id}`
  let current = await repo.ask(path, lines)
  if (current.status === 404) return []
  if (current.status === 410) {
    await repo.ask(`${path}/restore`, { method: 'POST' })
    current = await repo.ask(path, lines)
  }
  const stored = await current.text()
  const { versions, changedOutside } = await json(`${path}/versions`)
  const numbers = Array.isArray(versions) ? versions.map(({ number }) => Number(number)) : []
  const deletions = Array.isArray(versions) ? versions.map(({ is }) => is === 'deleted') : []
  const faults: string[] = []
  if (JSON.stringify(changedOutside) !== '[]')
    faults.push(`${id}: gaps at ${JSON.stringify(changedOutside)}`)
  // Sweeps delete versions by harvests between those by programs.
  if (numbers.some((number, i) => number >= (numbers[i - 1] ?? Infinity)))
    faults.push(`${id}: numbers ${numbers.slice(0, 5).join()}`)
  let newer = Number.POSITIVE_INFINITY
  for (const [i, number] of numbers.slice(0, readBack).entries()) {
    const answer = await repo.ask(`${path}/versions/${number}`, lines)
    const text = await answer.text()
    if (i === 0 && text !== stored) faults.push(`${id}: version ${number} is not what is stored`)
    const title = numberIn(text)
    // A version that deleted the record has no graph.
    if (answer.ok === (deletions[i] ?? false))
      faults.push(`${id}: version ${number} answers ${answer.status}`)
    if (answer.ok && !(title <= newer))
      faults.push(`${id}: version ${number} has title ${title} before ${newer}`)
    if (answer.ok) newer = title
  }
  return faults
}

async function write(id: string, title: number): Promise<void> {
  const path = `/datasets/${id}`
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "Title ${title}" ; dcat:keyword "${title % 7}" ;
    dcat:contactPoint [ foaf:name "Office ${title % 5}" ] .`
  if (random() < 0.15) {
    await repo.ask(path, { method: 'DELETE' })
    if (random() < 0.7) await repo.ask(`${path}/restore`, { method: 'POST' })
  } else {
    const answer = await repo.putDataset('c', id, body)
    if (!answer.ok && answer.status !== 304) throw new Error(`${answer.status} of ${id}`)
  }
}

await repo.putCatalogue('c')
const faults: string[] = []
let newest = 0
for (let n = 0; n < records; n += 1) {
  faults.push(...(await faultsOf(`r${n}`)))
  const current = await repo.ask(`/datasets/r${n}`, lines)
  newest = Math.max(newest, numberIn(await current.text()) || 0)
}
// Only the newest title is compared: a deletion takes no title.
process.send?.({ faults, newest })
for (let title = Math.max(newest, Number(last)) + 1; ; title += 1) {
  await write(`r${Math.floor(random() * records)}`, title)
  process.send?.({ acknowledged: title })
}

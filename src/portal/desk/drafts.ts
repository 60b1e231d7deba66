/** Drafts as the desk reads and saves them, through the repository and as the person who is signed in. */

import { Failure } from '../../errors.ts'
import type { FormModel } from '../../profile/form-model.ts'
import { readLines, toLine } from '../../rdf/lines.ts'
import { listed, textAt } from '../../text/json.ts'
import type { StewardContext } from '../context.ts'
import { askPort, readAnswer } from '../ports.ts'
import { numberAt } from '../record.ts'
import type { Draft } from './form-page.ts'
import type { FormChange, Typed } from './form-post.ts'

/** Type, id and catalogue of a record. */
export type RecordPlace = Pick<Draft, 'type' | 'id' | 'catalogue'>

const pathOf = ({ type, id, catalogue }: RecordPlace): string =>
  `/drafts/${encodeURIComponent(type)}/${encodeURIComponent(id)}?catalogue=${encodeURIComponent(catalogue)}`

/** Calls the repository for the person of the session, whose permissions it looks up itself. Rejects with `Failure`. */
function callAs({ ports, steward, signal }: StewardContext, path: string, init: RequestInit = {}) {
  const port = ports.repositoryAdmin
  if (!port) throw new Failure('not-found', 'this platform has no repository')
  const headers = new Headers(init.headers)
  headers.set('Acting-For', steward.id)
  return { port, path, init: { signal, ...init, headers } }
}

/** Whether the session may write drafts of a catalogue; the repository checks it again. */
const mayWrite = ({ steward }: StewardContext, place: RecordPlace): boolean =>
  steward.may({
    method: 'PATCH',
    path: pathOf(place),
    catalogue: place.catalogue,
    role: 'publisher',
  })

const typedIn = (value: unknown): readonly Typed[] =>
  listed(value).map((entry) => ({
    node: textAt(entry, 'node') ?? '',
    path: textAt(entry, 'path') ?? '',
    language: textAt(entry, 'language') ?? '',
    text: textAt(entry, 'text') ?? '',
    message: textAt(entry, 'message') ?? 'no-match',
  }))

/** Form model of a type, by the entity tag of the answer that it was read from. */
async function readModel(context: StewardContext, type: string): Promise<FormModel> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the repository answers what form-model.ts describes
  return (await context.ask(
    'repository',
    `/profile/forms/${encodeURIComponent(type)}`,
  )) as FormModel
}

/** Reads a draft with its graph and form. Rejects with `not-found` for who may not write it. */
export async function readDraft(context: StewardContext, place: RecordPlace): Promise<Draft> {
  if (!mayWrite(context, place)) throw new Failure('not-found', 'there is no such draft')
  const facts = callAs(context, pathOf(place), { headers: { Accept: 'application/json' } })
  const graph = callAs(context, pathOf(place), { headers: { Accept: 'application/n-triples' } })
  const [about, lines, model] = await Promise.all([
    readAnswer(facts.port, facts.path, facts.init),
    readAnswer(graph.port, graph.path, graph.init),
    readModel(context, place.type),
  ])
  const score = numberAt(about, 'score')
  return {
    ...place,
    title: textAt(about, 'title') ?? '',
    state: textAt(about, 'state') ?? 'draft',
    revision: String(numberAt(about, 'revision')),
    score: Number.isFinite(score) && score > 0 ? score : undefined,
    typed: typedIn(Object(about).typed),
    quads: await readLines(typeof lines === 'string' ? lines : ''),
    model,
  }
}

/** Saves the change of a form; `false` where the draft was changed since it was read. Rejects with `Failure`. */
export async function saveDraft(
  context: StewardContext,
  draft: Draft,
  { removed, added, typed }: FormChange,
): Promise<boolean> {
  const isTypedSame = JSON.stringify(typed) === JSON.stringify(draft.typed)
  if (removed.length + added.length === 0 && isTypedSame) return true
  const { port, path, init } = callAs(context, pathOf(draft), {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'If-Match': `"${draft.revision}"` },
    body: JSON.stringify({ remove: removed.map(toLine), add: added.map(toLine), typed }),
  })
  const answer = await askPort(port, path, init)
  if (answer.status === 412) {
    await answer.body?.cancel()
    return false
  }
  await readAnswer(() => Promise.resolve(answer), path, init)
  return true
}

/** Works out what the PUT of a resource of a declared type has to write. */

import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../../rdf/canonical.ts'
import { subjectQuads, toLines } from '../../rdf/lines.ts'
import { dct } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange } from '../../store/marks.ts'
import { mergedGraphs } from '../content/dataset-content.ts'
import { recordOf, timestamp } from '../content/record.ts'
import { rename } from '../content/rename.ts'
import type { Outcome, RepositoryDeps } from '../deps.ts'
import { tooManyTriples, type DatasetPut } from '../writing/dataset-plan.ts'
import type { ResourceName } from './declared-types.ts'
import { factLines, type ResourceFacts } from './facts.ts'
import { recordLink } from './removing.ts'
import { resourceContent, resourceNode } from './resource-content.ts'

export type ResourcePut = ResourceName &
  Pick<DatasetPut, 'body' | 'precondition' | 'enforceUpdate'> & {
    /** Of the types that are in catalogues; absent = where it is already. */
    readonly catalogue?: string
  }

type Asked = Omit<ResourcePut, 'catalogue'> & { readonly catalogue: string | undefined }

/** `changes` is one atomic group, empty when nothing is to be written: then the outcome has no mark. */
type ResourcePlan = { readonly outcome: Outcome; readonly changes: readonly Change[] }

export async function planResource(
  deps: RepositoryDeps,
  request: Asked,
  stored: ResourceFacts | undefined,
  signal: AbortSignal,
): Promise<ResourcePlan> {
  const { names } = deps
  const { type, id, catalogue } = request
  const iri = names.resource(type.id, id)
  const quads = mergedGraphs(await request.body.parse(iri))
  const node = resourceNode(quads, { type, id, iri })
  const own = resourceContent(quads, node, { names, iri })
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own, deps.canonical)
  request.precondition(stored?.hash)
  const facts = { type: type.id, hash, ...(catalogue !== undefined && { catalogue }) }
  const outcome = { iri, hash, ...(catalogue !== undefined && { catalogue }) }
  if (stored?.hash === hash && stored.catalogue === catalogue && !request.enforceUpdate) {
    return { outcome: { ...outcome, kind: 'unchanged', modified: undefined }, changes: [] }
  }
  const renamed = rename(own, new Map([[keyOf(node), iri]]))
  const ground = skolemise(renamed, { genid: names.genid(iri), labels })
  const before = stored ? ((await deps.store.read(iri, {}, signal)) ?? '') : ''
  const modified = timestamp(deps.now())
  const record = catalogue === undefined ? [] : recordFor(deps, request, { before, hash, modified })
  const mark = { resource: iri, version: deps.versions.next() }
  return {
    outcome: { ...outcome, kind: stored ? 'updated' : 'created', modified, mark },
    changes: [
      { graph: iri, content: toLines([...ground, ...record]), before },
      ...moves(deps, iri, { from: stored?.catalogue, to: catalogue }),
      systemChange({
        add: [...factLines(names, iri, facts), markLine('pending', mark)],
        remove: stored ? factLines(names, iri, stored) : [],
      }),
    ],
  }
}

type State = { readonly before: string; readonly hash: string; readonly modified: string }

/** The record of a resource that is in a catalogue; it keeps the date of the creation. */
function recordFor(
  { names }: RepositoryDeps,
  { type, id }: Asked,
  { before, hash, modified }: State,
): Quad[] {
  const [topic, iri] = [names.resource(type.id, id), names.resourceRecord(type.id, id)]
  const said = subjectQuads(before, iri).find((q) => q.predicate.value === dct('issued').value)
  const issued = said?.object.value ?? modified
  return recordOf({ topic, iri }, { originalId: id, hash, issued, modified }, names)
}

/** What changes in catalogues when a resource comes into one, or when its type is in none any more. */
function moves(
  { names }: RepositoryDeps,
  iri: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): Change[] {
  if (from === to) return []
  return [
    ...recordLink(names, { iri, catalogue: from }, 'remove'),
    ...recordLink(names, { iri, catalogue: to }, 'add'),
  ]
}

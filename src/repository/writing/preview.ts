/** What a PUT would make of a dataset that this process has as a text: everything but the write. */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import type { TermLimits } from '../../rdf/reading/options.ts'
import { parse } from '../../rdf/parse.ts'
import type { Outcome, WritingDeps } from '../deps.ts'
import { planDataset, type Body } from './dataset-plan.ts'
import { knownBodies } from './known-bodies.ts'

type Previewed = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
}

/** `before` and `after` are the stored graph as N-Triples, now and after the PUT; the same where nothing would change. */
type DatasetPreview = {
  readonly kind: Outcome['kind']
  readonly before: string
  readonly after: string
}

/** Fails as the PUT would. */
export type PreviewDataset = (
  catalogue: string,
  dataset: Previewed,
  signal: AbortSignal,
) => Promise<DatasetPreview>

export const previewDataset =
  (deps: WritingDeps & { readonly limits: TermLimits }): PreviewDataset =>
  (catalogue, dataset, signal) => {
    const { originalId } = dataset
    const planning = { ...deps, knownBodies: knownBodies(1) }
    const request = {
      catalogue,
      originalId,
      body: bodyOf(dataset, deps.limits),
      precondition: () => undefined,
    }
    return deps.ids.withId(
      request,
      async (target) => {
        const { outcome, changes } = await planDataset(planning, request, target, signal)
        const { kind, iri } = outcome
        const change = changes.find(({ graph }) => graph === iri)
        if (change && 'content' in change)
          return { kind, before: change.before ?? '', after: change.content }
        const stored = (await deps.store.read(iri, {}, signal)) ?? ''
        return { kind, before: stored, after: stored }
      },
      signal,
    )
  }

function bodyOf({ mediaType, text }: Previewed, limits: TermLimits): Body {
  return {
    length: text.length,
    fingerprint: () => hash('sha256', `${mediaType}\n${text}`, 'hex'),
    parse: async (baseIri) => {
      const format = formatOfMediaType(mediaType)
      if (!format) throw new Failure('unsupported-media-type', `${mediaType} is no RDF format`)
      return parse(text, format, { baseIri, limits })
    },
  }
}

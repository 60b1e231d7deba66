/** Check of a draft before it is published: what blocks that, and what would make it better. */

import type { Quad } from '@rdfjs/types'
import { isUnsafeAddress } from '../../rdf/iri.ts'
import { fromLines } from '../../rdf/lines.ts'
import { graphOf, keyOf } from '../../rdf/read.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { lacksOf, type Rules } from './catalogue-rules.ts'
import type { Draft } from './draft-file.ts'
import type { DraftKind } from './draft-kinds.ts'

/** Something in a draft that blocks its publication (`blocks`), or would make it better. */
type DraftFinding = {
  readonly blocks: boolean
  /** `shape` has the message of the shape; the others have texts of the portal. */
  readonly kind: 'shape' | 'required' | 'language' | 'typed' | 'address' | 'title' | 'points'
  readonly node: string
  readonly path?: string | undefined
  readonly language?: string | undefined
  readonly value?: string | undefined
  readonly message: string
  /** Messages of a `shape` by language, and the IRI of the constraint component. */
  readonly messages?: Readonly<Record<string, string>>
  readonly component?: string
}

/** Findings of a draft, those that block first, and its points. */
type CheckedDraft = {
  readonly findings: readonly DraftFinding[]
  readonly score?: number | undefined
  readonly dimensions?: Readonly<Record<string, number>> | undefined
}

/** Most findings of an answer. */
const mostFindings = 200

/** Checks a draft by the shapes of DCAT-AP and the rules of its catalogue. */
export async function checkDraft(
  { drafts, checkRecord }: Pick<RepositoryContext, 'drafts' | 'checkRecord'>,
  kind: DraftKind,
  draft: Draft,
  signal: AbortSignal,
): Promise<CheckedDraft> {
  const { rules } = drafts.rules(draft.catalogue)
  const quads = fromLines(draft.graph)
  const [graph, node] = [graphOf(quads), kind.iri(draft.id)]
  const checked = await checkRecord?.(draft.graph, draft.catalogue, signal)
  const shapes = (checked?.results ?? []).map(
    ({ severity, node: focus = node, messages, ...result }): DraftFinding => {
      const message = messages['en'] ?? Object.values(messages)[0] ?? ''
      const blocks = severity === 'Violation'
      return { ...result, blocks, kind: 'shape', node: focus, message, messages }
    },
  )
  const own = [
    ...typedFindings(draft),
    ...addressFindings(quads),
    // Rules ask for fields of datasets; other records have only a title in each language.
    ...lacksOf(graph, node, kind.type === 'datasets' ? rules : { ...rules, required: [] }).map(
      (lack): DraftFinding => ({ blocks: true, node, ...lack }),
    ),
  ]
  const score = checked?.score
  if (score !== undefined) drafts.noteScore(draft, score)
  const findings = [...own, ...shapes, ...pointFindings(node, rules, score)]
  return {
    findings: findings
      .toSorted((a, b) => Number(b.blocks) - Number(a.blocks))
      .slice(0, mostFindings),
    score,
    dimensions: checked?.dimensions,
  }
}

const typedFindings = ({ typed }: Draft): DraftFinding[] =>
  typed.map(
    ({ node, path, language, text, message = 'this is not of the form that is needed' }) => {
      return { blocks: true, kind: 'typed', node, path, language, value: text, message }
    },
  )

const addressFindings = (quads: readonly Quad[]): DraftFinding[] =>
  quads
    .filter(({ object }) => object.termType === 'NamedNode' && isUnsafeAddress(object.value))
    .map(({ subject, predicate, object: { value } }) => {
      const [path, message] = [predicate.value, 'addresses of this kind are not published']
      return { blocks: true, kind: 'address', node: keyOf(subject), path, value, message }
    })

function pointFindings(node: string, { points }: Rules, score: number | undefined): DraftFinding[] {
  if (score === undefined || score >= points) return []
  const message = `it has ${score} points, and the catalogue asks for ${points}`
  return [{ blocks: false, kind: 'points', node, value: String(score), message }]
}

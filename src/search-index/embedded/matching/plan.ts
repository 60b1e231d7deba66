/** Which parts of a query tree FTS5 answers in one go, and which are put together as sets. */

import type { Leaf, QueryTree } from '../../query-tree.ts'
import type { Phrases } from './leaves.ts'

export type Plan =
  | { readonly kind: 'text'; readonly text: string; readonly depth: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | Extract<QueryTree, { readonly kind: 'range' | 'value' }>
  | { readonly kind: 'and' | 'or'; readonly of: readonly Plan[] }
  | { readonly kind: 'not'; readonly of: Plan }

type TextPlan = Extract<Plan, { readonly kind: 'text' }>

/** FTS5's parser overflows at 32 alternating levels, of which a leaf takes three. */
const deepest = 10

/** `leaf` answers the words of FTS5, `undefined` for a leaf that can match nothing. */
export function planOf(tree: QueryTree, leaf: (leaf: Leaf) => Phrases | undefined): Plan {
  switch (tree.kind) {
    case 'all':
    case 'none':
    case 'range':
    case 'value':
      return tree
    case 'and':
      return and(tree.of.map((part) => planOf(part, leaf)))
    case 'or':
      return or(tree.of.map((part) => planOf(part, leaf)))
    case 'not':
      return not(planOf(tree.of, leaf))
    default: {
      const phrases = leaf(tree)
      return phrases ? { kind: 'text', text: phrases.text, depth: 1 } : { kind: 'none' }
    }
  }
}

const isText = (plan: Plan): plan is TextPlan => plan.kind === 'text' && plan.depth < deepest

function join(plans: readonly TextPlan[], operator: 'AND' | 'OR'): TextPlan {
  const [first] = plans
  if (first && plans.length === 1) return first
  return {
    kind: 'text',
    text: plans.map((plan) => `(${plan.text})`).join(` ${operator} `),
    depth: 1 + Math.max(...plans.map((plan) => plan.depth)),
  }
}

function and(plans: readonly Plan[]): Plan {
  if (plans.some((plan) => plan.kind === 'none')) return { kind: 'none' }
  const parts = plans.filter((plan) => plan.kind !== 'all')
  const positive = parts.filter(isText)
  if (positive.length === 0) return many('and', parts)
  const without = parts.flatMap((part) => (part.kind === 'not' && isText(part.of) ? [part.of] : []))
  const rest = parts.filter((part) => !isText(part) && !(part.kind === 'not' && isText(part.of)))
  const wanted = join(positive, 'AND')
  if (without.length === 0) return many('and', [wanted, ...rest])
  const unwanted = join(without, 'OR')
  const text: TextPlan = {
    kind: 'text',
    text: `(${wanted.text}) NOT (${unwanted.text})`,
    depth: 1 + Math.max(wanted.depth, unwanted.depth),
  }
  return many('and', [text, ...rest])
}

function or(plans: readonly Plan[]): Plan {
  if (plans.some((plan) => plan.kind === 'all')) return { kind: 'all' }
  const parts = plans.filter((plan) => plan.kind !== 'none')
  const texts = parts.filter(isText)
  if (texts.length < 2) return many('or', parts)
  return many('or', [join(texts, 'OR'), ...parts.filter((part) => !isText(part))])
}

function not(plan: Plan): Plan {
  if (plan.kind === 'all') return { kind: 'none' }
  if (plan.kind === 'none') return { kind: 'all' }
  return plan.kind === 'not' ? plan.of : { kind: 'not', of: plan }
}

/** No part left: everything for `and`, nothing for `or`. */
function many(kind: 'and' | 'or', of: readonly Plan[]): Plan {
  const [first] = of
  if (!first) return { kind: kind === 'and' ? 'all' : 'none' }
  return of.length === 1 ? first : { kind, of }
}

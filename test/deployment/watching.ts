/** Rules and panels of `compose/watch`, as far as the tests need them. */

import { parse } from 'yaml'
import { read } from './reading.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

type Panel = {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number }
  readonly targets: readonly { readonly expr: string }[]
}

export const rules = (): readonly Rule[] =>
  (
    parse(read('compose/watch/cartulary.rules.yml')) as {
      groups: readonly { readonly rules: readonly Rule[] }[]
    }
  ).groups.flatMap((group) => group.rules)

export const panels = (): readonly Panel[] =>
  (JSON.parse(read('compose/watch/dashboard.json')) as { panels: readonly Panel[] }).panels

/** All expressions of the rules, or of the panels of the dashboard. */
export const expressionsOf = (what: 'rules' | 'dashboard'): readonly string[] =>
  what === 'rules'
    ? rules().map(({ expr }) => expr)
    : panels().flatMap(({ targets }) => targets.map(({ expr }) => expr))

/** Names of metrics in an expression, as a server declares them. */
export const namesIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b(?:cartulary|http|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  )

/** The files for Prometheus and Grafana: well-formed, without names twice, and rules with what an alert needs. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { read, root } from './reading.ts'
import { expressionsOf, namesIn, panels, rules } from './watching.ts'

const duplicates = (values: readonly unknown[]) =>
  values.filter((value, at) => values.indexOf(value) !== at)

it('every alert has a name of its own, an urgency and a sentence', () => {
  expect(rules().length).toBeGreaterThanOrEqual(18)
  expect(duplicates(rules().map(({ alert }) => alert))).toEqual([])
  for (const { alert, labels, annotations } of rules()) {
    expect(alert).toMatch(/^Cartulary[A-Z]\w+$/)
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/\w+ \w+/)
  }
})

it('every panel has a number and a place of its own', () => {
  expect(panels().length).toBeGreaterThanOrEqual(18)
  expect(duplicates(panels().map(({ id }) => id))).toEqual([])
  expect(duplicates(panels().map(({ gridPos: { x, y } }) => `${x} ${y}`))).toEqual([])
})

it.each([...expressionsOf('rules'), ...expressionsOf('dashboard')])(
  'the expression %s has its brackets in pairs and names a metric',
  (expression) => {
    for (const [open, close] of ['()', '{}', '[]'])
      expect(expression.split(open ?? '').length).toBe(expression.split(close ?? '').length)
    expect(expression.startsWith('up{') || namesIn(expression).length > 0).toBe(true)
  },
)

const promtool = 'promtool'

it.skipIf(spawnSync('which', [promtool]).status !== 0).each(['check', 'test'])(
  'promtool finds nothing to complain of: %s',
  (verb) => {
    const file = verb === 'check' ? 'cartulary.rules.yml' : 'cartulary.rules.test.yml'
    const cwd = join(root, 'compose/watch')
    const { status, stdout } = spawnSync(promtool, [verb, 'rules', file], { cwd, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('SUCCESS')])
  },
)

it('the tests of alerts name alerts that exist', () => {
  const { tests } = parse(read('compose/watch/cartulary.rules.test.yml')) as {
    tests: readonly { readonly alert_rule_test: readonly { readonly alertname: string }[] }[]
  }
  const names = tests.flatMap((test) => test.alert_rule_test.map(({ alertname }) => alertname))
  const known = rules().map(({ alert }) => alert)
  expect(names.filter((name) => !known.includes(name))).toEqual([])
})

it('every urgency of an alert has a receiver of its own at Alertmanager, which Prometheus knows', () => {
  const { route, receivers } = parse(read('compose/watch/alertmanager.yml')) as {
    route: {
      receiver: string
      routes: readonly { matchers: readonly string[]; receiver: string }[]
    }
    receivers: readonly { readonly name: string }[]
  }
  const reached = [route.receiver, ...route.routes.map(({ receiver }) => receiver)]
  expect(reached.toSorted()).toEqual(receivers.map(({ name }) => name).toSorted())
  expect(route.routes.map(({ matchers }) => matchers)).toEqual([['severity="page"']])
  expect(new Set(rules().map(({ labels }) => labels.severity))).toEqual(new Set(reached))
  expect(read('compose/watch/prometheus.yml')).toContain("targets: ['alertmanager:9093']")
})

it('Prometheus asks the platform under the name by which the rules know it', () => {
  const { scrape_configs: jobs } = parse(read('compose/watch/prometheus.yml')) as {
    scrape_configs: readonly { readonly job_name: string }[]
  }
  expect(jobs.map(({ job_name: name }) => name)).toEqual(['cartulary'])
})

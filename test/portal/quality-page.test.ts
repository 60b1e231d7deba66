/** The quality page of a dataset: what to correct first, and in which file. */

import { expect, it } from 'vitest'
import { appAlone, portsTo } from './app-alone.ts'

const record = {
  id: 'wells',
  title: { en: 'Wells' },
  catalog: { id: 'city', title: { en: 'City' } },
  distributions: [
    { id: 'one', title: { en: 'Table of wells' } },
    { id: 'two', title: { en: 'Map of wells' } },
  ],
}
const score = {
  info: { score: 100, scores: {} },
  points: { downloadUrlAvailability: { points: 0, max: 20 } },
}
const file = (id: string, isThere: boolean) => [
  { info: { 'distribution-id': id } },
  { accessibility: [{ downloadUrlAvailability: isThere }] },
]
const answers: Readonly<Record<string, unknown>> = {
  '/datasets/wells': { ...score, accessibility: [{ downloadUrlAvailability: false }] },
  '/datasets/wells/distributions': { results: [file('one', true), file('two', false)] },
}

const shacl = 'http://www.w3.org/ns/shacl#'
/** A result of a validation about a node, as the repository keeps it. */
const result = (node: string, focus: string) =>
  [
    `<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${shacl}ValidationResult>`,
    `<${shacl}focusNode> <${focus}>`,
    `<${shacl}resultPath> <http://www.w3.org/ns/dcat#accessURL>`,
    `<${shacl}resultMessage> "${node} has no address"`,
  ]
    .map((statement) => `_:${node} ${statement} .\n`)
    .join('')
/** A result of a shape that speaks English, and German where `message` is not empty. */
const translated = (node: string, component: string, message: string) =>
  `${result(node, `${set}data/wells`).replace('address"', 'address"@en')}_:${node} <${shacl}sourceConstraintComponent> <${shacl}${component}ConstraintComponent> .
${message === '' ? '' : `_:${node} <${shacl}resultMessage> "${message}"@de .\n`}`
const set = 'https://data.example/set/'
const validation = [
  result('a', `${set}data/wells`),
  result('b', `${set}distribution/two`),
  result('c', 'https://elsewhere.example/licences/7'),
  translated('d', 'MinCount', ''),
  translated('e', 'MinCount', 'Nennen Sie den Pegel'),
  translated('f', 'LessThan', ''),
].join('')

const app = appAlone({
  ...portsTo(async (path) =>
    path === '/datasets/wells/metrics' ? new Response(validation) : Response.json({ result: {} }),
  ),
  search: async (path) =>
    path.startsWith('/datasets/wells?')
      ? Response.json({ result: record })
      : Response.json({ result: {} }),
  metrics: async (path) => {
    const result = answers[path]
    return Response.json({
      result: path.endsWith('distributions') ? result : { results: [result] },
    })
  },
})

it('names the files that a correction is about, and leads to the form with the record', async () => {
  const answer = await app.request('/en/datasets/wells/quality', {
    headers: { Accept: 'text/html' },
  })
  const text = await answer.text()
  const [, fix = ''] = /Give the addresses of the files([^]*?)<\/li>/.exec(text) ?? []
  expect(fix).toContain('These files: <bdi>Map of wells</bdi></p>')
  expect(fix).not.toContain('Table of wells')
  expect(text).toContain('href="/en/check?dataset=wells"')
})

it('says what is wrong in the language of the page, and marks a message in another one', async () => {
  const headers = { Accept: 'text/html' }
  const text = await (await app.request('/de/datasets/wells/quality', { headers })).text()
  expect(text).toContain('Noch nicht angegeben.')
  expect(text).not.toContain('d has no address')
  expect(text).toContain('Nennen Sie den Pegel')
  expect(text).toContain('<span lang="en" dir="ltr">f has no address</span>')
})

it('calls what a finding of the validation is about by its title, else by the end of its IRI', async () => {
  const answer = await app.request('/en/datasets/wells/quality', {
    headers: { Accept: 'text/html' },
  })
  const [, table = ''] = /id="shacl"([^]*?)<\/table>/.exec(await answer.text()) ?? []
  const rows = table.split('<tr').map((row) => row.replaceAll(/\s+/g, ' '))
  const about = (message: string) => rows.find((row) => row.includes(message)) ?? ''
  expect(about('a has no address')).toContain('<bdi>Wells</bdi>')
  expect(about('b has no address')).toContain('<bdi>Map of wells</bdi>')
  expect(about('c has no address')).toContain('<bdi>7</bdi>')
})

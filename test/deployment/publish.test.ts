/** The workflow that publishes: of keys and expressions that GitHub knows, with few rights, and made of scripts that exist. */

import { registerHooks } from 'node:module'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { read } from './reading.ts'

const path = '.github/workflows/publish.yml'

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly with?: Record<string, unknown>
}
type Job = {
  readonly needs?: string
  readonly permissions?: Record<string, string>
  readonly steps: readonly Step[]
}
const workflow = parse(read(path)) as { permissions: unknown; jobs: Readonly<Record<string, Job>> }
const jobs = Object.entries(workflow.jobs)
const steps = jobs.flatMap(([, job]) => job.steps)

/** Complaints of GitHub's own parser about a workflow. */
async function complaints(content: string): Promise<string[]> {
  // The parser imports its schema without saying that it is JSON, which a bundler does not mind.
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(
        url,
        url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context,
      ),
  })
  const { parseWorkflow, NoOperationTraceWriter } =
    await import('@actions/workflow-parser').finally(() => hooks.deregister())
  const { context } = parseWorkflow({ name: path, content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

it('has keys, values and names in expressions that GitHub knows', async () => {
  expect(await complaints(read(path))).toEqual([])
})

it.each([
  ['a misspelt key', 'runs-on:', 'run-on:'],
  ['another right', 'id-token: write', 'id-token: wrote'],
  ['an unknown name', 'steps.meta.outputs.tags', 'step.meta.outputs.tags'],
])('is refused with %s', async (_, right, wrong) => {
  expect(await complaints(read(path).replaceAll(right, wrong))).not.toEqual([])
})

it('takes every action at one commit, and says of which version that is', () => {
  const uses = read(path).match(/uses: .*/g) ?? []
  expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length)
  const pinned = /^uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
  expect(uses.filter((line) => !pinned.test(line))).toEqual([])
})

it('may write nothing but what it publishes, after the checks, and knows no secret but the token of its run', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' })
  const rights = jobs.map(([name, { needs, permissions }]) => [name, needs, permissions])
  expect(rights).toEqual([
    ['check', undefined, undefined],
    [
      'image',
      'check',
      { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' },
    ],
    ['package', 'check', { contents: 'read', 'id-token': 'write' }],
  ])
  expect(read(path).match(/secrets\.\w+/g)).toEqual(['secrets.GITHUB_TOKEN'])
})

it('runs scripts of the package on the Node of the image', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const asked = steps.flatMap(
    ({ run = '' }) => /^npm (?:run )?(check|test|package)$/.exec(run)?.[1] ?? [],
  )
  expect(asked).toEqual(['check', 'test', 'package'])
  expect(asked.filter((name) => !(name in scripts))).toEqual([])
  const [, version] = /node:([\d.]+)-/.exec(read('Dockerfile')) ?? []
  const given = steps.flatMap((step) => step.with?.['node-version'] ?? [])
  expect(new Set(given)).toEqual(new Set([version]))
})

it('publishes the image with its parts and provenance, signed by its digest, and the package with its provenance', () => {
  const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
  expect(build?.with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' })
  const runs = steps.flatMap(({ run }) => run ?? [])
  expect(runs).toContain('cosign sign --yes --recursive "${IMAGE,,}@$DIGEST"')
  expect(runs).toContain('npm publish ./cartulary-*.tgz --provenance --access public')
})

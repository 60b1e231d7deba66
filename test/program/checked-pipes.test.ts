/** `check` says about pipes what the scheduler of a platform says about the same files. */

import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'

let directory: string
let platform: Gateway
const config = { address: 'https://city.example/catalog.ttl', catalogue: 'city' }
const pipe = (name: string, segments: readonly (readonly [string, object])[]) => ({
  header: { id: name, name, transport: 'payload', version: '2.0.0' },
  body: {
    segments: segments.map(([segment, settings], at) => ({
      header: { name: segment, segmentNumber: at + 1 },
      body: { config: settings },
    })),
  },
})
const faulty = {
  'unknown-segment': pipe('unknown-segment', [['importing-fax', config]]),
  'wrong-type': pipe('wrong-type', [['importing-rdf', { ...config, removePrefix: 'soon' }]]),
  'no-address': pipe('no-address', [['importing-rdf', { catalogue: 'city' }]]),
  'unknown-secret': pipe('unknown-secret', [
    ['importing-rdf', { ...config, auth: { type: 'bearer', secret: 'none' } }],
  ]),
  'no-hub': pipe('no-hub', [
    ['importing-rdf', config],
    ['exporting-hub', { hub: { endpoint: { address: 'ftp://x', apiKey: { secret: 'none' } } } }],
  ]),
  'wrong-model': pipe('wrong-model', [['validating-shacl', { shapeModel: 'dcat-none' }]]),
  'wrong-deadline': pipe('wrong-deadline', [['importing-rdf', { ...config, deadline: 'later' }]]),
}

let env: Readonly<Record<string, string>>
beforeAll(async () => {
  directory = await temporaryDirectory()
  const pipes = join(directory, 'own')
  await mkdir(pipes)
  await cp(new URL('../../pipes/examples', import.meta.url).pathname, pipes, { recursive: true })
  for (const [name, content] of Object.entries(faulty))
    await writeFile(join(pipes, `${name}.json`), JSON.stringify(content))
  await writeFile(join(pipes, 'no-pipe.json'), '{')
  env = {
    PLATFORM_DATA_DIR: join(directory, 'data'),
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
  }
  platform = await gateway(join(directory, 'data'), env)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

it('names every pipe that cannot run, with the same sentences, and counts the others', async () => {
  type Listed = { readonly file: string; readonly problems: readonly { readonly detail: string }[] }
  const listed = await client(platform).json<Listed[]>(
    `${platform.url}/api/scheduler/pipes?valueType=metadata`,
  )
  const expected = listed.flatMap(({ file, problems }) =>
    problems.length > 0 ? [`${file}: ${problems.map(({ detail }) => detail).join(': ')}`] : [],
  )
  const { code, out } = await cartulary(['check', '--json'], { env, cwd: directory })
  type Part = { readonly part: string; readonly says: string; readonly problems: string[] }
  const { parts } = JSON.parse(out) as { readonly parts: readonly Part[] }
  const { says, problems } = parts.find(({ part }) => part === 'pipes')!
  expect(problems.map((line) => line.slice(line.lastIndexOf('/own/') + 5)).toSorted()).toEqual(
    expected.toSorted(),
  )
  for (const name of [...Object.keys(faulty), 'no-pipe'])
    expect(problems.join('\n')).toContain(`/${name}.json: `)
  expect([code, says]).toEqual([5, `${listed.length - expected.length} can be used`])
})

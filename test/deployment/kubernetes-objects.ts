/** Reads `deploy/kubernetes`, and decodes objects strictly: a key that Kubernetes does not know is an error, as is a wrong type. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { read, root } from './reading.ts'
import type { Kinds, KubernetesObject, Template } from './kubernetes-kinds.ts'

export const folder = 'deploy/kubernetes'

/** Names of the files with objects. */
export const objectFiles = readdirSync(join(root, folder)).filter(
  (name) => name.endsWith('.yml') && name !== 'kustomization.yml',
)

/** All objects of a YAML text; throws what the parser complains of, such as a key that is there twice. */
export const objectsIn = (text: string): KubernetesObject[] =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => {
    for (const error of document.errors) throw error
    return document.toJS() as KubernetesObject
  })

export const objects = objectFiles.flatMap((name) => objectsIn(read(`${folder}/${name}`)))

export const ofKind = <Kind extends keyof Kinds>(kind: Kind): Kinds[Kind][] =>
  objects.filter((one): one is Kinds[Kind] => one.kind === kind)

/** Complaints of the compiler about objects as values of the types of their kinds; it runs once for all. */
export function strictly(given: readonly KubernetesObject[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'objects-'))
  const file = join(directory, 'objects.mts')
  const values = given.map((one) => `put<'${one.kind}'>(${JSON.stringify(one, null, 1)})`)
  const put =
    'declare function put<Kind extends keyof Kinds>(one: Required<Pick<Kinds[Kind], "apiVersion" | "kind">> & Kinds[Kind]): void'
  writeFileSync(
    file,
    `import type { Kinds } from '${root}test/deployment/kubernetes-kinds.ts'\n${put}\n${values.join('\n')}\n`,
  )
  try {
    const options =
      '--noEmit --ignoreConfig --strict --skipLibCheck --target esnext --module nodenext'
    const words = [...options.split(' '), '--allowImportingTsExtensions', file]
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), words, { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line.includes('error TS'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The pods that the objects start, with the name of what starts them. */
export const pods = (): { readonly name: string; readonly template: Template }[] =>
  [
    ...[...ofKind('StatefulSet'), ...ofKind('Deployment')].map(
      ({ metadata, spec }) => [metadata, spec?.template] as const,
    ),
    ...ofKind('CronJob').map(
      ({ metadata, spec }) => [metadata, spec?.jobTemplate.spec?.template] as const,
    ),
  ].map(([metadata, template]) => ({ name: metadata?.name ?? '', template: template ?? {} }))

/** The variables of an env file of the folder. */
export const settingsOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    [...read(`${folder}/${name}`).matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]),
  )

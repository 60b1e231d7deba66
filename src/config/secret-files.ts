/** Variables whose values are in files, as Docker and Kubernetes hand secrets over: `{name}_FILE` is the path of the value of `{name}`. */

import { readFileSync } from 'node:fs'
import { type Environment, type EnvironmentSchema, facts } from './settings.ts'

const ending = '_FILE'

/** Names of the variables that may be given as files: those of secrets. */
export const fileVariables = (schema: EnvironmentSchema): readonly string[] =>
  Object.entries(schema.shape)
    .filter(([, field]) => facts.get(field)?.secret !== undefined)
    .map(([name]) => name + ending)

/** Returns the environment with the contents of files, without the line end after them, and a problem for each that cannot be read. */
export function withSecretFiles(
  schema: EnvironmentSchema,
  env: Environment,
): { readonly env: Environment; readonly problems: readonly string[] } {
  const values: Record<string, string> = {}
  const problems: string[] = []
  for (const fileName of fileVariables(schema)) {
    const path = env[fileName]?.trim()
    if (!path) continue
    const name = fileName.slice(0, -ending.length)
    if (env[name]?.trim()) problems.push(`${fileName}: ${name} is set, too; keep one of them`)
    try {
      values[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      problems.push(`${fileName}: ${path} cannot be read (${code})`)
    }
  }
  return { env: { ...env, ...values }, problems }
}

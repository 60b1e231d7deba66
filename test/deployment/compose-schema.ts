/** The part of the Compose specification that our files use; every other key is refused, as Compose refuses misspelt ones. */

import { z } from 'zod'

const duration = z.string().regex(/^\d+[smh]$/)
const size = z.string().regex(/^\d+[mg]$/)
const mapping = z.record(z.string(), z.string())

/** A volume or file of the host, where it is mounted, and whether only for reading. */
const mount = /^(?:[a-z]+\d?|\.{1,2}\/[a-z./]+):\/[a-z_./]+(?::ro)?$/

const service = z.strictObject({
  build: z.strictObject({ context: z.string() }).optional(),
  command: z.array(z.string()).optional(),
  image: z.string(),
  user: z.string(),
  read_only: z.boolean(),
  tmpfs: z.array(z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  profiles: z.array(z.string()).optional(),
  environment: mapping.optional(),
  volumes: z.array(z.string().regex(mount)).optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.boolean() })).optional(),
  ports: z.array(z.string()),
  deploy: z.strictObject({ replicas: z.coerce.number().int() }).optional(),
  stop_grace_period: duration.optional(),
  healthcheck: z
    .strictObject({
      test: z.tuple([z.literal('CMD'), z.string()], z.string()),
      interval: duration,
      timeout: duration,
      start_period: duration.optional(),
      retries: z.number().int(),
    })
    .optional(),
  mem_limit: size,
  cpus: z.number(),
  pids_limit: z.number().int(),
})

/** Node of OpenSearch, whose image writes beside its data, and which has no port outside of the network. */
const node = service.omit({ read_only: true, tmpfs: true, ports: true }).extend({
  ulimits: z.record(z.string(), z.number()),
})

const parts = {
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
}

/** `x-…` are the file's own; the rest is what Compose knows. */
export const composeFile = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/),
  'x-hardened': z.unknown(),
  'x-platform': z.unknown().optional(),
  ...parts,
})

/** A file that is added to another one, whose name stays. */
export const addedFile = z.strictObject({ 'x-watching': z.unknown(), ...parts })

/** The file of the nodes of OpenSearch, which is added to another one too. */
export const nodesFile = z.strictObject({
  'x-node': z.unknown(),
  'x-environment': z.unknown(),
  ...parts,
  services: z.record(z.string(), node),
})

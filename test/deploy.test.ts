// The files in deploy/ are right as far as files can be: they fit the schemas of what reads them, and say what they must.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { composeProblems } from "./support/compose-problems.ts";
import { kubernetesProblems } from "./support/kubernetes-problems.ts";

const DEPLOY = new URL("../deploy/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, DEPLOY), "utf8");
const files = (pattern: string): string[] => globSync(pattern, { cwd: DEPLOY }).sort();

type Json = Record<string, unknown>;
const composeOf = (text: string): Json => parse(text, { merge: true }) as Json;
const manifestsOf = (text: string): Json[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Json);

describe.each(files("compose/*.yaml"))("%s", (file) => {
  test("fits Compose's schema", () => {
    expect(composeProblems(read(file))).toEqual([]);
  });

  test.each([
    ["image:", "imagee:"],
    ["healthcheck:", "healtcheck:"],
    ["interval:", "intervall:"],
    ["resources:", "resource:"],
  ])("a misspelt key is found: %s %s", (right, wrong) => {
    expect(composeProblems(read(file).replace(right, wrong))).not.toEqual([]);
  });

  test("nobody is root, and what can be read-only is", () => {
    for (const service of Object.values(composeOf(read(file))["services"] as Record<string, Json>))
      expect(service).toMatchObject({
        user: expect.stringMatching(/^[1-9]/),
        read_only: true,
        cap_drop: ["ALL"],
        deploy: { resources: { limits: { memory: expect.any(String) } } },
      });
  });

  test("secrets come from outside", () => {
    expect(read(file)).not.toMatch(/(password|token|key): +[^$\s]/i);
  });
});

describe.each(files("kubernetes/**/*.yaml"))("%s", (file) => {
  test("fits Kubernetes' schemas, and every key is one of theirs", () => {
    expect(manifestsOf(read(file)).flatMap(kubernetesProblems)).toEqual([]);
  });

  test("who runs is not root, has limits, and says whether it is well", () => {
    for (const manifest of manifestsOf(read(file))) {
      const pod = (manifest as { spec?: { template?: { spec: Json } } }).spec?.template?.spec;
      if (!pod) continue;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      for (const container of pod["containers"] as Json[])
        expect(container).toMatchObject({
          readinessProbe: expect.anything(),
          livenessProbe: expect.anything(),
          resources: { limits: { memory: expect.any(String) } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        });
    }
  });
});

test.each([
  ["replicas: 2", "replicaz: 2", "/spec"],
  ["containerPort: 9080", "containerPort: many", "/spec/template/spec/containers/0/ports/0/containerPort"],
  ["readOnlyRootFilesystem", "readonlyRootFilesystem", "/spec/template/spec/containers/0/securityContext"],
  ["periodSeconds", "periodSecond", "/spec/template/spec/containers/0/startupProbe"],
  ["secretKeyRef: {", "secretRef: {", "/spec/template/spec/containers/0/env/1/valueFrom"],
  ["claimName", "claim", "/spec/template/spec/volumes/0/persistentVolumeClaim"],
  ["maxUnavailable", "maxUnavailabel", "/spec"],
  ["kind: Service", "kind: Servise", "v1 Servise"],
])("a mistake in a manifest is found: %s → %s", (right, wrong, where) => {
  const text = read("kubernetes/cadre.yaml");
  expect(text).toContain(right);
  const problems = manifestsOf(text.replaceAll(right, wrong)).flatMap(kubernetesProblems);
  expect(problems.join("\n")).toContain(where);
});

test("keys that are anybody's to choose are not misspelt", () => {
  const [map] = manifestsOf(read("kubernetes/cadre.yaml"));
  expect(kubernetesProblems({ ...map!, data: { anything: "x" } })).toEqual([]);
});

// A run's model is resolved where it is admitted, and asked where it is driven: with the key only there, the API would take
// the rehearsal for the default and refuse whoever names a model.
test.each(["compose/pg-boss.yaml", "compose/restate.yaml", "kubernetes/cadre.yaml"])(
  "the API has the providers' variables that the workers have: %s",
  (file) => {
    const [api, worker] = file.startsWith("compose") ? composed(file) : deployed(file);
    expect(api).toHaveProperty("ANTHROPIC_API_KEY");
    expect(api).toEqual(worker);
  },
);

function composed(file: string): Json[] {
  const services = composeOf(read(file))["services"] as Record<string, { environment: Json }>;
  return ["api", "worker"].map((name) => ofProviders(Object.entries(services[name]!.environment)));
}

interface Deployment {
  metadata: { name: string };
  spec: { template: { spec: { containers: { env: { name: string }[] }[] } } };
}

function deployed(file: string): Json[] {
  const all = manifestsOf(read(file)).filter(({ kind }) => kind === "Deployment") as unknown as Deployment[];
  return ["cadre-api", "cadre-worker"].map((name) => {
    const { spec } = all.find(({ metadata }) => metadata.name === name)!;
    const { env } = spec.template.spec.containers[0]!;
    return ofProviders(env.map(({ name: variable, ...rest }) => [variable, rest]));
  });
}

const ofProviders = (variables: [string, unknown][]): Json =>
  Object.fromEntries(variables.filter(([name]) => !name.startsWith("CADRE_")));

test("the balancer has room for the addresses of all workers that it may find, in one answer", () => {
  const [, bytes] = /accepted_payload_size (\d+)/.exec(read("haproxy.cfg"))!;
  const [, workers] = /server-template worker (\d+)/.exec(read("haproxy.cfg"))!;
  // 16 bytes for each A record; a name, and what stands before the records, are less than 512.
  expect(512 + 16 * Number(workers)).toBeLessThanOrEqual(Number(bytes));
  for (const page of ["deploy.md", "restate.md"])
    expect(readFileSync(new URL(`../docs/guide/${page}`, DEPLOY), "utf8")).toMatch(
      new RegExp(`${workers} (workers|at most)`),
    );
});

test("the image has the packages that the tests ran with", () => {
  const { devDependencies } = createRequire(import.meta.url)("../package.json") as {
    devDependencies: Record<string, string>;
  };
  const dockerfile = read("Dockerfile");
  for (const name of ["pg", "pg-boss", "@restatedev/restate-sdk"])
    expect(dockerfile).toContain(` ${name}@${devDependencies[name]}`);
  expect(dockerfile).toContain(`FROM node:${devDependencies["node"]}-`);
  for (const file of ["compose/restate.yaml", "kubernetes/restate/restate.yaml"])
    expect(read(file)).toContain(`restate:${devDependencies["@restatedev/restate-server"]}`);
});

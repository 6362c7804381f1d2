// Checks the files in deploy/ without deploying them. They must match the schemas of Compose and Kubernetes, and have the required settings.

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
  test("the Compose file matches Compose's schema", () => {
    expect(composeProblems(read(file))).toEqual([]);
  });

  test.each([
    ["image:", "imagee:"],
    ["healthcheck:", "healtcheck:"],
    ["interval:", "intervall:"],
    ["resources:", "resource:"],
  ])("the schema check finds a misspelled key: `%s` changed to `%s`", (right, wrong) => {
    expect(composeProblems(read(file).replace(right, wrong))).not.toEqual([]);
  });

  test("no service runs as root, and the root file system of every service is read-only", () => {
    for (const service of Object.values(composeOf(read(file))["services"] as Record<string, Json>))
      expect(service).toMatchObject({
        user: expect.stringMatching(/^[1-9]/),
        read_only: true,
        cap_drop: ["ALL"],
        deploy: { resources: { limits: { memory: expect.any(String) } } },
      });
  });

  test("the Compose file contains no secrets", () => {
    expect(read(file)).not.toMatch(/(password|token|key): +[^$\s]/i);
  });
});

describe.each(files("kubernetes/**/*.yaml"))("%s", (file) => {
  test("the manifests match Kubernetes' schemas and have no unknown keys", () => {
    expect(manifestsOf(read(file)).flatMap(kubernetesProblems)).toEqual([]);
  });

  test("every container has resource limits and health probes, and no container runs as root", () => {
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
])("the manifest check finds a mistake: `%s` replaced by `%s`", (right, wrong, where) => {
  const text = read("kubernetes/cadre.yaml");
  expect(text).toContain(right);
  const problems = manifestsOf(text.replaceAll(right, wrong)).flatMap(kubernetesProblems);
  expect(problems.join("\n")).toContain(where);
});

test("the manifest check accepts any key in a map whose keys users can choose", () => {
  const [map] = manifestsOf(read("kubernetes/cadre.yaml"));
  expect(kubernetesProblems({ ...map!, data: { anything: "x" } })).toEqual([]);
});

// The API resolves a run's model when it admits the run, and a worker calls the model later.
// The API and the workers both need the provider's key. Without it, the API would use the scripted model and reject requests that name a model.
test.each(["compose/pg-boss.yaml", "compose/restate.yaml", "kubernetes/cadre.yaml"])(
  "%s gives the API the same provider variables as the workers",
  (file) => {
    const [api, worker] = file.startsWith("compose") ? servicesIn(file) : deploymentsIn(file);
    expect(api).toHaveProperty("ANTHROPIC_API_KEY");
    expect(api).toEqual(worker);
  },
);

function servicesIn(file: string): Json[] {
  const services = composeOf(read(file))["services"] as Record<string, { environment: Json }>;
  return ["api", "worker"].map((name) => ofProviders(Object.entries(services[name]!.environment)));
}

interface Deployment {
  metadata: { name: string };
  spec: { template: { spec: { containers: { env: { name: string }[] }[] } } };
}

function deploymentsIn(file: string): Json[] {
  const all = manifestsOf(read(file)).filter(({ kind }) => kind === "Deployment") as unknown as Deployment[];
  return ["cadre-api", "cadre-worker"].map((name) => {
    const { spec } = all.find(({ metadata }) => metadata.name === name)!;
    const { env } = spec.template.spec.containers[0]!;
    return ofProviders(env.map(({ name: variable, ...rest }) => [variable, rest]));
  });
}

const ofProviders = (variables: [string, unknown][]): Json =>
  Object.fromEntries(variables.filter(([name]) => !name.startsWith("CADRE_")));

test("the balancer accepts a DNS answer that lists the addresses of all workers", () => {
  const [, bytes] = /accepted_payload_size (\d+)/.exec(read("haproxy.cfg"))!;
  const [, workers] = /server-template worker (\d+)/.exec(read("haproxy.cfg"))!;
  // Each A record takes 16 bytes. The name and the header together take less than 512 bytes.
  expect(512 + 16 * Number(workers)).toBeLessThanOrEqual(Number(bytes));
  for (const page of ["deploy.md", "restate.md"])
    expect(readFileSync(new URL(`../docs/guide/${page}`, DEPLOY), "utf8")).toMatch(
      new RegExp(`${workers} (workers|at most)`),
    );
});

test("the image installs the same package versions that the tests use", () => {
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

// The other projects on this machine in which the same user works. A link leads to the page of each.
// Only the holder of this project's token sees them: a named user has rights in this project alone.

import { z } from "zod";
import { CadreError } from "../../errors.ts";
import type { Person } from "../access/person.ts";
import { route } from "./route.ts";
import { LinkView, namedObject } from "./schemas.ts";

export const ProjectView = namedObject("ProjectView", {
  id: z.string(),
  folder: z.string(),
  /** True if the project has a web page now. */
  isUp: z.boolean(),
  /** Number of items that wait for a person there. */
  waiting: z.int(),
  /** Number of runs that have not ended and do not wait for a person. */
  working: z.int(),
});
export type ProjectView = z.infer<typeof ProjectView>;

export const ProjectList = namedObject("ProjectList", { projects: z.array(ProjectView) });

export interface OtherProjects {
  list(): Promise<ProjectView[]>;
  /** A one-time link that signs one browser in there. */
  link(id: string): Promise<LinkView>;
}

interface ProjectParts {
  projects: OtherProjects;
  person?: Person;
}

export function projectRoutes({ person, projects }: ProjectParts) {
  return [
    route.get(
      "/api/projects",
      { summary: "Other projects of the same user on this machine", answer: ProjectList, role: "admin" },
      async () => ({ projects: person ? [] : await projects.list() }),
    ),
    route.post(
      "/api/projects/{project}/link",
      {
        summary: "Create a one-time link that signs a browser in to another project",
        answer: LinkView,
        status: 201,
        role: "admin",
      },
      ({ params: { project } }) => {
        if (!person) return projects.link(project);
        throw new CadreError("FORBIDDEN", "Only the holder of this folder's token can open other projects.");
      },
    ),
  ];
}

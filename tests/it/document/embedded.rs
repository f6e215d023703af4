//! Documents without a grammar whose parts are in other languages: markers, and what is kept together.

use espalier::document::embedded::{Embedded, blocks, parts};
use espalier::document::summary::{Document, Gauge, Options, Source, summarize};
use espalier::document::{Options as Parsing, structure};

/// Summarises a text that is folded by indentation, in characters.
fn summary(text: &str, language: &str, budget: u64) -> String {
    let found = structure(text, None, &Parsing::default());
    let source = Source::new(text);
    let document = Document { language, ..Document::new(&source, &found.overlay) };
    let options = Options { budget, gauge: Gauge::Characters, worth: 1, ..Options::default() };
    let made = summarize(&[document], &options).unwrap().remove(0);
    assert!(made.count <= budget);
    made.edits.apply(text)
}

fn component() -> String {
    let rows = |row: &dyn Fn(usize) -> String| (0..8).map(row).collect::<String>();
    format!(
        "<script setup lang=\"ts\">\nimport {{ ref }} from \"vue\";\n\nconst items = ref<string[]>([]);\n\n{}</script>\n\n\
         <template>\n  <ul>\n{}  </ul>\n</template>\n\n<style scoped>\n{}</style>\n",
        rows(&|at| format!("function add{at}(item: string) {{\n  items.value.push(item);\n  log(item, {at});\n}}\n\n")),
        rows(&|at| format!("    <li v-if=\"items[{at}]\">\n      {{{{ items[{at}] }}}}\n    </li>\n")),
        rows(&|at| format!(".item-{at} {{\n  color: red;\n  margin: {at}px;\n}}\n")),
    )
}

/// Checks that each marker is a comment of the part of the component that it is in.
fn well_marked(made: &str) {
    let mut part = "";
    for line in made.lines() {
        match line {
            "<script setup lang=\"ts\">" => part = "script",
            "<style scoped>" => part = "style",
            "</script>" | "</style>" => {
                assert_eq!(part, &line[2..line.len() - 1], "{made}");
                part = "";
            }
            _ if line.ends_with(" omitted -->") => assert_eq!(part, "", "{made}"),
            _ if line.ends_with(" omitted */") => assert_eq!(part, "style", "{made}"),
            _ if line.ends_with(" omitted") => assert!(part == "script" && line.contains("// …"), "{made}"),
            _ if line.starts_with("function") => assert_eq!(part, "script", "{made}"),
            _ if line.starts_with(".item") => assert_eq!(part, "style", "{made}"),
            _ => {}
        }
    }
    assert_eq!(part, "", "{made}");
}

#[test]
fn markers_in_scripts_and_styles_are_comments_of_their_language() {
    let text = component();
    let mut seen = [false; 3];
    for budget in 80..text.len() as u64 {
        let made = summary(&text, "vue", budget);
        well_marked(&made);
        for (seen, end) in seen.iter_mut().zip([" omitted -->", " omitted */", "// …"]) {
            *seen |= made.contains(end);
        }
    }
    assert_eq!(seen, [true; 3]);
}

#[test]
fn comments_that_the_host_names_are_used_everywhere() {
    let text = component();
    let found = structure(&text, None, &Parsing::default());
    let source = Source::new(&text);
    let document = Document { language: "vue", comments: Some(("##", "")), ..Document::new(&source, &found.overlay) };
    let made = summarize(&[document], &Options { budget: 600, ..Options::default() }).unwrap().remove(0);
    let made = made.edits.apply(&text);
    assert!(made.contains("## … ") && !made.contains("// …") && !made.contains("<!--"), "{made}");
}

#[test]
fn a_page_with_data_and_templates() {
    let data = (0..20).map(|at| format!("  \"key{at}\": {at},\n")).collect::<String>();
    let text = format!(
        "<html>\n<script type=\"application/json\">\n{{\n{data}  \"last\": 0\n}}\n</script>\n<script type=\"text/x-template\" id=\"a\">\n\
         {}</script>\n</html>\n",
        "  <p>text</p>\n".repeat(20)
    );
    let made: Vec<String> = (150..text.len() as u64).map(|budget| summary(&text, "html", budget)).collect();
    // JSON has no comments, and a template is markup.
    assert!(made.iter().any(|made| made.contains("\n  … ")));
    assert!(made.iter().any(|made| made.contains("\n  <!-- … ")));
    assert!(made.iter().all(|made| !made.contains("// …")));
}

#[test]
fn parts_of_markup() {
    let found = |text: &str| -> Vec<(String, &'static str)> {
        let part = |part: &Embedded| (text[part.start as usize..part.end as usize].to_string(), part.language);
        blocks(text).iter().map(part).collect()
    };
    let script = |code: &str, language| vec![(code.to_string(), language)];
    assert_eq!(found("<script>\na();\n</script>\n"), script("a();\n", "javascript"));
    assert_eq!(found("  <SCRIPT>\n  a();\n  </SCRIPT>\n"), script("  a();\n", "javascript"));
    assert_eq!(found("<script\n  lang='ts'\n  a=\"b > c\"\n>\na();\n</script>\n"), script("a();\n", "typescript"));
    assert_eq!(found("<style lang=\"scss\">\na {}\n</style>"), script("a {}\n", "css"));
    assert_eq!(found("<script type=\"application/ld+json\">\n{}\n</script>"), script("{}\n", "json"));
    assert_eq!(found("<script type=\"text/template\">\n<p/>\n</script>"), []);
    assert_eq!(found("<script src=\"a.js\"></script>\n<p>\n</p>\n</script>\n"), []);
    assert_eq!(found("<script>\nnever closed\n"), []);
    assert_eq!(found("<p>\n\n<script>\na\n</script>\n"), script("a\n", "javascript"));
    assert_eq!(blocks("\n\n<style>\na\n</style>\n")[0].tag, 2);
    assert_eq!(found(&"<script a=\"\n".repeat(100_000)), []);
    assert_eq!(found(&format!("{}</style>", "<script>\n".repeat(100_000))), []);
    assert_eq!(found("<scripted>\na\n</scripted>\n</script>\n"), []);
    assert_eq!(found("<style>\n</style>\n<script>\nb\n</script>\n").len(), 2);
}

#[test]
fn what_is_around_php_is_markup() {
    let text = "<?php\nif ($a) {\n?>\n<p>\n</p>\n<script>\na();\n<?= $b ?>\n</script>\n<?php } ?>\n<p>\n";
    let found: Vec<(&str, &str)> =
        parts(text, "php").iter().map(|part| (&text[part.start as usize..part.end as usize], part.language)).collect();
    let wanted = [
        ("\n<p>\n</p>\n<script>\n", "html"),
        ("a();\n", "javascript"),
        ("\n", "javascript"),
        ("</script>\n", "html"),
        ("\n<p>\n", "html"),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_tag_in_a_text_or_a_comment_does_not_end_php() {
    let markup = |text: &str| -> String {
        parts(text, "php").iter().map(|part| &text[part.start as usize..part.end as usize]).collect()
    };
    for code in
        ["$a = '?>';", "$a = \"\\\"?>\";", "/* ?> */", "$a = <<<END\n?>\n  END;", "$a = <<<'A'\n'?>\nA;", "#[A('?>')]"]
    {
        assert_eq!(markup(&format!("<?php\n{code}\n$b = 1;\n")), "", "{code}");
        assert_eq!(markup(&format!("<?php\n{code}\n$b = 1;\n?>c")), "c", "{code}");
    }
    assert_eq!(markup("<?php // a ?>b"), "b");
    assert_eq!(markup("<?php # it's ?>b"), "b");
    assert_eq!(markup("<?php $a << 2 ?>b"), "b");
    assert_eq!(markup("<?php 'never closed ?>b"), "");
}
